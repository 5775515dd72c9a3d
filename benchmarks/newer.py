#!/usr/bin/env python3
"""Compares a saved model on a graph that has grown with a model that is fitted again.

Needs NumPy and the release build (`cargo build --release`). For each graph, a tenth of the edges is held out for
evaluation, and another fifth is added only after the fit. In a second setting, all edges of a tenth of the nodes are
added after the fit, and half of them are held out. Three models score the held-out edges and as many random pairs:

  old      fitted before the change, on the old graph
  newer    the same model with `--graph` and the grown graph
  refit    fitted on the grown graph

    benchmarks/newer.py [DATA] [GRAPH ...]
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ROOT / "target/release/netinfof"


def run(*args):
    subprocess.run([str(COMMAND), *map(str, args), "-q"], check=True, stdout=subprocess.DEVNULL)


def write(path, edges, graph, keep):
    """Writes the nodes `keep` and the edges between them. Ids are the node numbers of the complete graph."""
    number = {int(node): at for at, node in enumerate(keep)}
    own = [[number[int(i)], number[int(j)]] for i, j in edges]
    np.savez(path, edge_index=np.array(own, np.int64).T, num_nodes=len(keep), x=graph["x"][keep], ids=np.array([str(k) for k in keep]))


def ask(model, pairs, folder, *extra):
    out = folder / "scores.csv"
    run("predict", model, "--pairs", pairs, "-o", out, *extra)
    with open(out, newline="") as lines:
        return np.array([float(row["score"]) for row in csv.DictReader(lines)])


def figures(scores, edges):
    positives, negatives = scores[:edges], np.sort(scores[edges:])
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    hits = np.mean(positives > negatives[-100])
    return below.mean() / 2 / len(negatives), hits


def measure(graph, name, arriving, seed):
    draw = np.random.default_rng(seed)
    edges, n = graph["edges"], graph["nodes"]
    order = draw.permutation(len(edges))
    everyone = np.arange(n)
    if arriving == "edges":
        hidden, later = order[: len(edges) // 10], order[len(edges) // 10 : 3 * len(edges) // 10]
        before, known = np.setdiff1d(order, np.concatenate([hidden, later])), everyone
    else:
        new = draw.permutation(n)[: n // 10]
        of_new = order[np.isin(edges[order], new).any(axis=1)]
        # Half of the edges of new nodes are added to the graph, half are held out for evaluation.
        hidden, later = of_new[::2], of_new[1::2]
        before, known = np.setdiff1d(order, of_new), np.setdiff1d(everyone, new)
    codes = set(map(tuple, edges.tolist()))
    pairs = []
    ends = everyone if arriving == "edges" else new
    while len(pairs) < len(hidden):
        i, j = int(draw.choice(ends)), int(draw.integers(n))
        if i != j and (min(i, j), max(i, j)) not in codes:
            pairs.append((i, j))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write(folder / "old.npz", edges[before], graph, known)
        write(folder / "new.npz", edges[np.concatenate([before, later])], graph, everyone)
        with open(folder / "pairs.csv", "w") as out:
            out.writelines(f"{i},{j}\n" for i, j in [*map(tuple, edges[hidden].tolist()), *pairs])
        run("act", folder / "old.npz", "--save", folder / "old.model", "--seed", seed)
        run("act", folder / "new.npz", "--save", folder / "new.model", "--seed", seed)
        asked = folder / "pairs.csv"
        found = {}
        if arriving == "edges":
            found["old"] = ask(folder / "old.model", asked, folder, "--edges", "all")
        found["newer"] = ask(folder / "old.model", asked, folder, "--graph", folder / "new.npz")
        found["refit"] = ask(folder / "new.model", asked, folder, "--edges", "all")
        return {model: figures(scores, len(hidden)) for model, scores in found.items()}


def main():
    data = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data"
    names = sys.argv[2:] or ["cora", "citeseer", "pubmed", "photo", "chameleon", "actor"]
    print("| graph | arriving | old: AUC, Hits@100 | newer | refit |\n|---|---|---|---|---|")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            # The command writes each edge once, and features as a dense array or as the parts of a sparse one.
            path = pathlib.Path(folder) / "g.npz"
            run("convert", data / f"{name}.npz", path)
            file = np.load(path)
            edges = np.sort(file["edge_index"].T.astype(np.int64), axis=1)
            n = int(file["num_nodes"])
            if "x" in file:
                x = file["x"]
            else:
                x = np.zeros(file["x_shape"], np.float32)
                rows = np.repeat(np.arange(n), np.diff(file["x_indptr"]))
                x[rows, file["x_indices"]] = file["x_data"]
        graph = {"edges": edges, "nodes": n, "x": x}
        for arriving in ["edges", "nodes"]:
            runs = [measure(graph, name, arriving, seed) for seed in range(3)]
            cells = []
            for model in ["old", "newer", "refit"]:
                own = np.array([found[model] for found in runs if model in found])
                cells.append(f"{100 * own[:, 0].mean():.1f}, {100 * own[:, 1].mean():.1f}" if len(own) else "–")
            print(f"| {name} | {arriving} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
