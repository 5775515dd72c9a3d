#!/usr/bin/env python3
"""Reads an edge list of ten million lines with netinfof and with Polars, in one run.

    cargo build --release && python benchmarks/edges.py [LINES]

The row of Polars alone is its CSV reader, which returns two columns. The third row continues with SciPy to the result
that netinfof returns: a symmetric adjacency without duplicate edges and self loops. Needs numpy, scipy and polars.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent
LINES = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
NODES = max(LINES // 10, 2)


def best(work, times=5):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        seconds.append(work() or time.perf_counter() - start)
    return min(seconds)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "edges.csv")
        ends = np.random.default_rng(0).integers(0, NODES, (LINES, 2))
        pl.DataFrame({"source": ends[:, 0], "target": ends[:, 1]}).write_csv(path)
        size = os.path.getsize(path)
        found = {}

        def ours():
            command = [str(ROOT / "target/release/netinfof"), "inspect", path, "--quiet", "--json", "-"]
            found.update(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
            return found["seconds"]

        def polars():
            assert pl.read_csv(path).shape == (LINES, 2)

        def graph():
            table = pl.read_csv(path)
            i, j = table["source"].to_numpy(), table["target"].to_numpy()
            i, j = i[i != j], j[i != j]
            one = np.ones(len(i), dtype=bool)
            half = sp.coo_array((one, (i, j)), shape=(NODES, NODES)).tocsr()
            found["scipy"] = (half + half.T).nnz // 2

        rows = [("netinfof: file to graph", best(ours)), ("Polars: file to columns", best(polars)), ("Polars and SciPy: file to graph", best(graph))]
        assert found["graph"]["edges"] == found["scipy"]
        print(f"{LINES} lines, {size / 1e6:.0f} MB, {found['graph']['edges']} edges, {os.cpu_count()} cores; best of five\n")
        print("| | seconds | million lines per second |\n|---|---|---|")
        for name, seconds in rows:
            print(f"| {name} | {seconds:.2f} | {LINES / seconds / 1e6:.1f} |")


main()
