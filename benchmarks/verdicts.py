#!/usr/bin/env python3
"""The verdict on eight graphs for both tasks, beside what models on single components reach: docs/verdicts.md.

    NETINFOF_DATA=DIR benchmarks/verdicts.py [SPLITS]

The verdict sees no test data; the models do, and say whether it was right.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = os.environ.get("NETINFOF", str(ROOT / "target/release/netinfof"))
DATA = Path(os.environ.get("NETINFOF_DATA", ROOT / "data"))
SPLITS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
GRAPHS = ["Cora", "CiteSeer", "PubMed", "Photo", "Computers", "Chameleon", "Squirrel", "Actor"]
GROUPS = {"structure": ["U", "R"], "features": ["F"], "gnn": ["P", "S"]}
FIGURE = {"links": "auc", "nodes": "accuracy"}


def run(*args):
    done = subprocess.run([COMMAND, *args, "--quiet", "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def single(graph, task, component):
    found = run("act", graph, "--task", task, "--components", component, "--splits", str(SPLITS))
    figure = FIGURE[task]
    hits = found["mean"]["test"].get("hits@100")
    return found["mean"]["test"][figure], found["std"]["test"][figure], hits


def main():
    lines = []
    reasons = []
    misses = []
    right = undecided = 0
    for task in FIGURE:
        for name in GRAPHS:
            graph = str(DATA / f"{name.lower()}.npz")
            probe = run("probe", graph, "--task", task)
            figures = {c: single(graph, task, c) for group in GROUPS.values() for c in group}
            best = {kind: max(own, key=lambda c: figures[c][0]) for kind, own in GROUPS.items()}
            top = max(best.values(), key=lambda c: figures[c][0])
            kind = probe["verdict"]["kind"]
            # Within two standard deviations of the best counts as the best.
            def good(c):
                spread = 2 * (figures[c][1] ** 2 + figures[top][1] ** 2) ** 0.5
                return figures[c][0] >= figures[top][0] - spread
            named = ["structure", "features"] if kind == "any" else [kind]
            if kind == "combine":
                # Structure and features side by side must be as good as the best single component.
                figures["U,R,F"] = single(graph, task, "U,R,F")
                best["combine"] = "U,R,F"
            open_ = kind == "undecided"
            agrees = not open_ and kind != "nothing" and all(good(best[k]) for k in named)
            right += agrees
            undecided += open_
            if not agrees and not open_:
                known = max(probe["components"].values(), key=lambda c: c["corrected"])
                misses.append(f"On {name} ({task}) it does not, where the best component scores {known['corrected']:.3f} "
                              f"[{known['interval'][0]:.3f}, {known['interval'][1]:.3f}] and no information {known['no_information']:.3f}.")
            cells = []
            for k, own in GROUPS.items():
                c = best[k]
                value = f"{c} {100 * figures[c][0]:.1f} ± {100 * figures[c][1]:.1f}"
                if figures[c][2] is not None:
                    value += f" ({100 * figures[c][2]:.1f})"
                cells.append(f"**{value}**" if c == top else value)
            lines.append(f"| {name} | {task} | `{kind}` | {' | '.join(cells)} | {'–' if open_ else 'yes' if agrees else '**no**'} |")
            reasons.append(f"- **{name}, {task}: `{kind}`.** {probe['verdict']['reason']} {probe['verdict']['next']}")
            print(lines[-1], flush=True)
    text = f"""# The verdict on eight graphs

Made by `benchmarks/verdicts.py`. The verdict is Probe's (`netinfof probe GRAPH --task TASK`, no model trained, no test data seen). Beside it
the best model on a single component of each kind (`netinfof act --components C`, {SPLITS} splits): test AUC in percent and Hits@100 in brackets
for links, test accuracy in percent for nodes. It agrees if the kind that it names has the best figure (AUC or accuracy, bold) or one within two
standard deviations of it: structure (U, R) for `structure`, features (F) for `features`, propagated features (P, S) for `gnn`.

| graph | task | verdict | structure | features | propagated | agrees |
|---|---|---|---|---|---|---|
""" + "\n".join(lines) + f"""

The verdict agrees with the models on {right} of {len(lines)} and is undecided on {undecided}. {" ".join(misses)}

## In its own words

""" + "\n".join(reasons) + "\n"
    (ROOT / "docs/verdicts.md").write_text(text)


main()
