#!/usr/bin/env python3
"""Compares the top-10 partners of every node of a generated graph with exact searches in NumPy and FAISS.

All three search the same vectors, with two threads each. Needs NumPy, the release build (`cargo build --release`) and,
for its row, faiss-cpu. NumPy and FAISS search for a part of the nodes only, because their time per node is constant;
the comparison is in nodes per second.

    benchmarks/recommend.py [NODES]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ.update(OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2", MKL_NUM_THREADS="2")
import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ROOT / "target/release/netinfof"
K, PART = 10, 8192


def run(*args):
    """Runs the command. Returns its seconds and its peak memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen([str(COMMAND), *map(str, args), "-q", "--threads", "2"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, args
    return time.perf_counter() - start, usage.ru_maxrss / 1000


def best(scores):
    found = np.argpartition(-scores, K, axis=1)[:, :K]
    rows = np.arange(len(scores))[:, None]
    return found[rows, np.argsort(-scores[rows, found], axis=1)]


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        graph = f"synth:large?nodes={nodes}&degree=10"
        run("act", graph, "--components", "U,R,F,P,S", "--save", folder / "plain.model")
        run("act", graph, "--components", "U,R,F,P,S,X", "--save", folder / "x.model")
        seconds, memory = run("recommend", folder / "plain.model", "--all", "--k", K, "-o", folder / "plain.csv")
        print(f"netinfof, all {nodes} nodes: {seconds:.1f} s, {nodes / seconds:.0f} nodes per second, {memory:.0f} MB")
        run("recommend", folder / "plain.model", "--vectors", folder / "v.npz")
        vectors = np.load(folder / "v.npz")
        queries, keys = vectors["queries"], vectors["keys"]
        print(f"vectors of {keys.shape[1]} dimensions")
        asked = np.arange(0, nodes, max(1, nodes // PART))
        start = time.perf_counter()
        found = np.concatenate([hide(queries[part] @ keys.T, part) for part in np.array_split(asked, len(asked) // 256)])
        seconds = time.perf_counter() - start
        print(f"NumPy, {len(asked)} nodes: {seconds:.1f} s, {len(asked) / seconds:.0f} nodes per second")
        ours = np.loadtxt(folder / "plain.csv", delimiter=",", skiprows=1, usecols=2, dtype=np.int64).reshape(nodes, K)[asked]
        same = np.mean([len(set(a) & set(b)) / K for a, b in zip(ours, found)])
        print(f"same partners as netinfof: {100 * same:.2f} %")
        try:
            import faiss

            index = faiss.IndexFlatIP(keys.shape[1])
            index.add(keys)
            start = time.perf_counter()
            index.search(queries[asked], K + 1)
            seconds = time.perf_counter() - start
            print(f"FAISS, {len(asked)} nodes: {seconds:.1f} s, {len(asked) / seconds:.0f} nodes per second")
        except ImportError:
            print("FAISS is not installed")
        del queries, keys, vectors
        seconds, memory = run("recommend", folder / "x.model", "--all", "--k", K, "-o", folder / "x.csv")
        pool = max(100, 10_000_000 // nodes)
        print(f"netinfof with X, pool {pool}: {seconds:.1f} s, {nodes / seconds:.0f} nodes per second, {memory:.0f} MB")


def hide(scores, part):
    scores[np.arange(len(part)), part] = -np.inf
    return best(scores)


if __name__ == "__main__":
    main()
