#!/usr/bin/env python3
"""Compares `netinfof act` on numeric targets and label sets with scikit-learn on the same splits.

    benchmarks/targets.py DATA [--binary target/release/netinfof] [--splits 5] [--only regression labels]

DATA holds `chameleon-traffic.npz` and `ppi-homo.npz`. Needs NumPy, SciPy and scikit-learn.

Regression: ridge on the features, and on the features with their averages over the neighbours at one and two steps. Columns as
they are or rows of length 1, and the penalty, are chosen on the validation nodes. Generated targets stand beside the real ones.

Label sets: one logistic regression per label on an embedding of the graph (NetMF with a window of 10, 128 columns), or, for the
generated graph, on the same inputs as the ridge and 64 singular vectors. Labels are predicted from a threshold that is
chosen on the validation nodes (`own`), or as many as the node really has (`true number`), as publications on this graph do.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.linear_model import LogisticRegression, Ridge

SHARES = [(0.025, 0.025), (0.5, 0.25)]
ALPHAS = 10.0 ** np.arange(-3, 5)
PENALTIES = [0.1, 1.0, 10.0, 100.0]


def adjacency(edges, nodes):
    a = sp.coo_matrix((np.ones(edges.shape[1]), edges), (nodes, nodes))
    return ((a + a.T) > 0).astype(float).tocsr()


def averages(x, a):
    mean = sp.diags(1 / np.maximum(a.sum(1).A1 if hasattr(a.sum(1), "A1") else np.asarray(a.sum(1)).ravel(), 1)) @ a
    one = mean @ x
    return sp.hstack([x, one, mean @ one]).tocsr()


def unit_rows(x):
    return sp.diags(1 / np.maximum(np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel()), 1e-12)) @ x


def netmf(a, dim=128, window=10):
    d = np.maximum(np.asarray(a.sum(1)).ravel(), 1)
    walk = a.multiply(1 / d[:, None]).toarray()
    power, total = np.eye(len(d)), np.zeros((len(d), len(d)))
    for _ in range(window):
        power = power @ walk
        total += power
    m = np.log(np.maximum(d.sum() / window * total / d[None, :], 1))
    u, s, _ = svds(sp.csr_matrix(m), dim, random_state=0)
    return sp.csr_matrix(u * np.sqrt(s))


def split(nodes, shares, seed):
    order = np.random.default_rng(1000 + seed).permutation(nodes)
    first, second = (round(len(nodes) * share) for share in (shares[0], sum(shares)))
    return [np.sort(part) for part in np.split(order, [first, second])]


def r2(y, found):
    return 1 - ((y - found) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def ridge(x, y, parts):
    train, valid, test = parts
    best = (-np.inf, None)
    for rows in (x, unit_rows(x)):
        for alpha in ALPHAS:
            fit = Ridge(alpha=alpha, solver="sparse_cg", tol=1e-5).fit(rows[train], y[train])
            best = max(best, (r2(y[valid], fit.predict(rows[valid])), r2(y[test], fit.predict(rows[test]))))
    return best[1]


def act(binary, graph, target, parts, seed, predictions=None):
    with tempfile.TemporaryDirectory() as place:
        options = []
        for name, nodes in zip(("train", "valid", "test"), parts, strict=True):
            Path(place, f"{name}.txt").write_text("".join(f"{node}\n" for node in nodes))
            options += [f"--{name}", f"{place}/{name}.txt"]
        if predictions:
            options += ["--predictions", predictions]
        command = [binary, "act", graph, "--task", "nodes", "--target", target, "--seed", str(seed), "--splits", "1"]
        found = subprocess.run([*command, "--json", "-", *options], capture_output=True, check=True, text=True)
    found = json.loads(found.stdout)
    return found["mean"]["test"], found["verdict"]["kind"]


def save(path, edges, x, **target):
    x = sp.csr_matrix(x)
    rows = {"x_indptr": x.indptr, "x_indices": x.indices, "x_data": x.data.astype(np.float32), "x_shape": np.array(x.shape)}
    np.savez(path, edge_index=edges, num_nodes=x.shape[0], **rows, **target)


def generated(draw, nodes=1500):
    """A graph of six communities with 16 numeric features, two of which follow the community."""
    group = draw.integers(6, size=nodes)
    edges = draw.integers(nodes, size=(2, 60 * nodes))
    kept = (edges[0] != edges[1]) & ((group[edges[0]] == group[edges[1]]) | (draw.random(edges.shape[1]) < 0.04))
    edges = edges[:, kept][:, : 5 * nodes]
    x = draw.normal(size=(nodes, 16))
    x[:, :2] += 0.7 * np.array([np.cos(group), np.sin(group)]).T
    return edges, x


def targets_of(draw, edges, x):
    nodes = len(x)
    mean = averages(sp.csr_matrix(x), adjacency(edges, nodes)).toarray()
    linear = x[:, 2] - x[:, 3] + 0.5 * draw.normal(size=nodes)
    return {
        "linear in the features": linear,
        "heavy tail": np.exp(1.2 * linear),
        "mean of the neighbours": 4 * mean[:, 16 + 4] + 0.3 * draw.normal(size=nodes),
        "counts": draw.poisson(np.exp(0.5 * x[:, 2] + 0.3)).astype(float),
        "two values": (linear > 0).astype(float) + 0.5,
        "noise": draw.normal(size=nodes),
    }


def regression(args):
    print("| target, shares of training and validation | netinfof | ridge on features | with averages | verdicts |")
    print("|---|---|---|---|---|")
    known = np.load(args.data / "chameleon-traffic.npz")
    x = sp.csr_matrix((known["x_data"], known["x_indices"], known["x_indptr"]), known["x_shape"])
    real = {"visits, logarithm": known["y_reg"], "visits": known["target_raw"]}
    tables = [("chameleon: ", known["edge_index"], x, real)]
    draw = np.random.default_rng(7)
    edges, x = generated(draw)
    tables.append(("generated: ", edges, sp.csr_matrix(x), targets_of(draw, edges, x)))
    for name, edges, x, targets in tables:
        wide = averages(x, adjacency(edges, x.shape[0]))
        for target, y in targets.items():
            y = y.astype(float)
            for shares in SHARES:
                figures, verdicts = [], []
                for seed in range(args.splits):
                    parts = split(np.arange(len(y)), shares, seed)
                    with tempfile.TemporaryDirectory() as place:
                        save(f"{place}/g.npz", edges, x, y_reg=y)
                        test, verdict = act(args.binary, f"{place}/g.npz", "numbers", parts, seed)
                    verdicts.append(verdict)
                    figures.append([test["r2"], ridge(x, y, parts), ridge(wide, y, parts)])
                show(name + target, shares, figures, verdicts)


def show(name, shares, figures, verdicts):
    table = np.array(figures)
    cells = " | ".join(f"{m:.3f} ± {s:.3f}" for m, s in zip(table.mean(0), table.std(0), strict=True))
    kinds = ", ".join(f"{verdicts.count(kind)} `{kind}`" for kind in sorted(set(verdicts)))
    print(f"| {name}, {100 * shares[0]:g} % and {100 * shares[1]:g} % | {cells} | {kinds} |", flush=True)


def f1(truth, found):
    both, sizes = (truth * found).sum(0), truth.sum(0) + found.sum(0)
    return 2 * both.sum() / sizes.sum(), np.mean(2 * both[sizes > 0] / sizes[sizes > 0])


def numbered(truth, scores):
    found = np.zeros_like(truth)
    for row, count in enumerate(truth.sum(1)):
        found[row, np.argsort(-scores[row], kind="stable")[:count]] = 1
    return found


def threshold(truth, scores):
    return max(np.unique(np.quantile(scores, np.linspace(0, 1, 400))), key=lambda t: f1(truth, scores >= t)[0])


def one_against_rest(x, y, parts):
    """Micro and macro F1 with an own threshold, then with the true number of labels; each penalty chosen by its own figure."""
    train, valid, test = parts
    best = [(-1,), (-1,)]
    for penalty in PENALTIES:
        scores = np.zeros((len(y), y.shape[1]))
        for label in range(y.shape[1]):
            own = y[train, label]
            if own.min() == own.max():
                scores[:, label] = own[0]
                continue
            fit = LogisticRegression(C=penalty, max_iter=1000).fit(x[train], own)
            scores[:, label] = fit.predict_proba(x)[:, 1]
        cut = threshold(y[valid], scores[valid])
        own = f1(y[valid], scores[valid] >= cut)[0], f1(y[test], scores[test] >= cut)
        true = f1(y[valid], numbered(y[valid], scores[valid]))[0], f1(y[test], numbered(y[test], scores[test]))
        best = [max(old, new) for old, new in zip(best, (own, true), strict=True)]
    return [*best[0][1], *best[1][1]]


def labels(args):
    print("\n| graph, shares | F1 | netinfof | one against rest | verdicts |")
    print("|---|---|---|---|---|")
    known = np.load(args.data / "ppi-homo.npz")
    a = adjacency(known["edge_index"], len(known["y_multi"]))
    graphs = [("ppi-homo", known["edge_index"], sp.csr_matrix((a.shape[0], 0)), known["y_multi"], netmf(a), [(0.85, 0.05)])]
    draw = np.random.default_rng(11)
    edges, x = generated(draw)
    wide = averages(sp.csr_matrix(x), adjacency(edges, len(x)))
    odds = wide.toarray() @ draw.normal(size=(wide.shape[1], 8)) / 2 - 1.5
    y = (draw.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(np.int8)
    u, s, _ = svds(adjacency(edges, len(x)), 64, random_state=0)
    inputs = sp.hstack([wide, sp.csr_matrix(u * np.sqrt(s))]).tocsr()
    graphs.append(("generated", edges, sp.csr_matrix(x), y, inputs, SHARES))
    for name, edges, x, y, inputs, all_shares in graphs:
        for shares in all_shares:
            ours, theirs, verdicts = [], [], []
            for seed in range(args.splits):
                parts = split(np.arange(len(y)), shares, seed)
                with tempfile.TemporaryDirectory() as place:
                    save(f"{place}/g.npz", edges, x, y_multi=y)
                    test, verdict = act(args.binary, f"{place}/g.npz", "labels", parts, seed, f"{place}/p.csv")
                    rows = list(csv.reader(Path(place, "p.csv").open()))
                first = next(at for at, title in enumerate(rows[0]) if title.startswith("probability"))
                nodes = np.array([int(row[0]) for row in rows[1:]])
                scores = np.array([row[first : first + y.shape[1]] for row in rows[1:]], dtype=float)
                ours.append([test["micro_f1"], test["macro_f1"], *f1(y[nodes], numbered(y[nodes], scores))])
                verdicts.append(verdict)
                theirs.append(one_against_rest(inputs.toarray(), y, parts))
            kinds = ", ".join(f"{verdicts.count(kind)} `{kind}`" for kind in sorted(set(verdicts)))
            titles = ["micro, own threshold", "macro, own threshold", "micro, true number", "macro, true number"]
            for at, title in enumerate(titles):
                cells = [np.array(table)[:, at] for table in (ours, theirs)]
                cells = " | ".join(f"{own.mean():.3f} ± {own.std():.3f}" for own in cells)
                print(f"| {name}, {100 * shares[0]:g} % and {100 * shares[1]:g} % | {title} | {cells} | {kinds} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--binary", default="target/release/netinfof")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=["regression", "labels"])
    args = parser.parse_args()
    for part in args.only:
        {"regression": regression, "labels": labels}[part](args)


if __name__ == "__main__":
    main()
