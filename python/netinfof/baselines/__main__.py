"""Trains baselines: ``python -m netinfof.baselines``."""

from __future__ import annotations

import argparse
import sys

from . import MODELS, run, script


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments
        Arguments. None: those of this process.

    Returns
    -------
    int
        The exit status: 0, 2 for invalid arguments or input, 130 after Ctrl-C.
    """
    models = "\n".join(f"  {task}: {', '.join(known)}" for task, known in MODELS.items())
    parser = argparse.ArgumentParser(
        prog="python -m netinfof.baselines",
        description="Train graph neural networks and other baselines on the splits of `netinfof act`.",
        epilog=f"models:\n{models}\n\nexamples:\n  python -m netinfof.baselines cora.npz --task nodes --json cora.json\n"
        "  python -m netinfof.baselines cora.npz --task links --models gcn,ncn --splits 2\n"
        "  python -m netinfof.baselines cora.npz --task nodes --script gcn",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("graph", metavar="GRAPH", help="a file that netinfof reads, or a generated graph such as synth:demo")
    parser.add_argument("--task", choices=["links", "nodes"], default="links", help="task (default: links)")
    parser.add_argument("--models", metavar="LIST", help="models, separated by commas (default: all of the task)")
    parser.add_argument("--splits", type=int, default=5, metavar="N", help="number of random splits (default: 5)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the first split (default: 0)")
    parser.add_argument("--protocol", choices=["clean", "paper"], default="clean", help="negatives of links (default: clean)")
    parser.add_argument("--negatives", choices=["uniform", "degree", "heart"], default="uniform", help="kind of negatives (default: uniform)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:1 (default: auto)")
    parser.add_argument("--limit", type=float, default=3600.0, metavar="SECONDS", help="time limit for one model on one split (default: 3600)")
    parser.add_argument("--json", metavar="FILE", help="write results here after every run, and continue from this file if it exists")
    parser.add_argument("--script", metavar="MODEL", help="write a training script for this model and the first split instead, as train_MODEL.py")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    given = parser.parse_args(arguments)
    try:
        if given.script is not None:
            print(script(given.script, given.graph, task=given.task, random_state=given.seed))
            return 0
        found = run(
            given.graph,
            given.task,
            models=given.models,
            splits=given.splits,
            random_state=given.seed,
            protocol=given.protocol,
            negatives=given.negatives,
            device=given.device,
            limit=given.limit,
            path=given.json,
            progress=not given.quiet,
        )
    except (ImportError, OSError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = f"; finished runs are in {given.json}" if given.json else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
