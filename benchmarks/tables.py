#!/usr/bin/env python3
"""Compares `netinfof act` on tables of features with scikit-learn on the same columns and splits.

    benchmarks/tables.py DATA [--binary target/release/netinfof] [--splits 5]

DATA holds `german` and `income` as published: `german/german.csv` with `german_edges.txt`, `income/income.csv` with `income_edges.txt`.
Needs scikit-learn. netinfof reads the columns as they are. scikit-learn gets the same columns, categories (named in GRAPHS) as one-hot codes
and the others standardised: logistic regression (penalty chosen on the validation nodes),
the same with the averages of the columns over nodes at two steps appended, and gradient boosting (with early stopping).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

SHARES = [(0.025, 0.025), (0.5, 0.25)]
PENALTIES = [0.01, 0.1, 1.0, 10.0]
GRAPHS = {
    "german": {"label": "GoodCustomer", "categorical": ["Gender", "PurposeOfLoan"]},
    "income": {
        "label": "income",
        "categorical": ["workclass", "marital-status", "occupation", "relationship", "race", "native-country"],
    },
}


def read(folder: Path, name: str):
    with (folder / f"{name}.csv").open() as file:
        rows = list(csv.reader(file))
    edges = np.loadtxt(folder / f"{name}_edges.txt").astype(int)
    return rows[0], rows[1:], edges


def one_hot(header, rows, label, categorical):
    numbers, codes = [], []
    for at, column in enumerate(header):
        values = [row[at] for row in rows]
        if column == label:
            continue
        if column in categorical:
            levels = sorted(set(values))
            codes.append(np.array([[value == level for level in levels] for value in values], dtype=float))
        else:
            numbers.append(np.array(values, dtype=float)[:, None])
    x = np.hstack(numbers + codes)
    return (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)


def two_steps(x, edges):
    for _ in range(2):
        sums, counts = np.zeros_like(x), np.zeros(len(x))
        for a, b in (edges.T, edges.T[::-1]):
            np.add.at(sums, a, x[b])
            np.add.at(counts, a, 1)
        x = sums / np.maximum(counts, 1)[:, None]
    return x


def split(y, shares, seed):
    draw = np.random.default_rng(1000 + seed)
    parts = [[], [], []]
    for label in np.unique(y):
        nodes = draw.permutation(np.flatnonzero(y == label))
        first, second = (round(len(nodes) * share) for share in (shares[0], sum(shares)))
        for part, own in zip(parts, np.split(nodes, [first, second]), strict=True):
            part.extend(own)
    return [np.array(sorted(part)) for part in parts]


def linear(x, y, parts):
    train, valid, test = parts
    fits = [LogisticRegression(C=c, max_iter=3000).fit(x[train], y[train]) for c in PENALTIES]
    best = max(fits, key=lambda fit: fit.score(x[valid], y[valid]))
    return best.score(x[test], y[test])


def boosted(x, y, parts):
    train, valid, test = parts
    settings = [{"learning_rate": rate, "max_leaf_nodes": leaves} for rate in (0.03, 0.1) for leaves in (4, 15)]
    fits = [HistGradientBoostingClassifier(max_iter=200, random_state=0, **own).fit(x[train], y[train]) for own in settings]
    best = max(fits, key=lambda fit: fit.score(x[valid], y[valid]))
    return best.score(x[test], y[test])


def act(binary, folder, graph, parts, seed):
    label = GRAPHS[graph]["label"]
    with tempfile.TemporaryDirectory() as place:
        options = []
        for name, nodes in zip(("train", "valid", "test"), parts, strict=True):
            Path(place, f"{name}.txt").write_text("".join(f"{node}\n" for node in nodes))
            options += [f"--{name}", f"{place}/{name}.txt"]
        command = [binary, "act", folder / f"{graph}_edges.txt", "--nodes", folder / f"{graph}.csv", "--id", "row"]
        command += ["--label", label, "--task", "nodes", "--seed", str(seed), "--splits", "1", "--json", "-", *options]
        found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return found["mean"]["test"]["accuracy"], found["verdict"]["kind"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--binary", default="target/release/netinfof")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    args = parser.parse_args()
    print("| graph, shares of training and validation | netinfof | logistic regression | with averages | gradient boosting | verdicts |")
    print("|---|---|---|---|---|---|")
    for graph in args.graphs:
        folder = args.data / graph
        header, rows, edges = read(folder, graph)
        own = GRAPHS[graph]
        y = np.array([row[header.index(own["label"])] for row in rows])
        x = one_hot(header, rows, own["label"], own["categorical"])
        wide = np.hstack([x, two_steps(x, edges)])
        for shares in SHARES:
            figures, verdicts = [], []
            for seed in range(args.splits):
                parts = split(y, shares, seed)
                accuracy, verdict = act(args.binary, folder, graph, parts, seed)
                verdicts.append(verdict)
                figures.append([accuracy, linear(x, y, parts), linear(wide, y, parts), boosted(x, y, parts)])
            table = 100 * np.array(figures)
            cells = " | ".join(f"{m:.1f} ± {s:.1f}" for m, s in zip(table.mean(0), table.std(0), strict=True))
            kinds = ", ".join(f"{verdicts.count(kind)} `{kind}`" for kind in sorted(set(verdicts)))
            print(f"| {graph}, {100 * shares[0]:g} % and {100 * shares[1]:g} % | {cells} | {kinds} |", flush=True)


if __name__ == "__main__":
    main()
