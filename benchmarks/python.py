"""Measures the overhead of Python over the command, and the memory that a gigabyte of features needs.

    python benchmarks/python.py GRAPH.npz [path of the command]

Needs an environment with the wheel installed. Prints medians of 9 interleaved runs of the command, of a Python process
that imports the package, probes and prints, and of the call alone in a warm process. Then prints the peak memory of a
process after it creates a graph with a gigabyte of features, and after it probes this graph.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import netinfof

MEMORY = """
import resource, sys, numpy as np, netinfof
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
rng, (n, f) = np.random.default_rng(0), (500_000, 512)
x = np.empty((n, f), np.float32)
for at in range(0, n, 10_000):
    x[at : at + 10_000] = rng.random((10_000, f), dtype=np.float32)
edges = rng.integers(0, n, (2, 1_000_000))
base = peak()
graph = netinfof.Graph(edges, x)
print(f"features {x.nbytes / 2**20:.0f} MiB, process before {base:.0f}, after Graph {peak():.0f}")
netinfof.probe(graph, dim=32, components=sys.argv[1], splits=1)
print(f"after probe of {sys.argv[1]}: {peak():.0f}")
"""


def seconds(work: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(work, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    graph = sys.argv[1]
    command = sys.argv[2] if len(sys.argv) > 2 else str(Path(sys.executable).with_name("netinfof"))
    told: dict[str, list[float]] = {"command": [], "python process": [], "call": []}
    for _ in range(9):
        told["command"].append(seconds([command, "probe", graph, "--quiet"]))
        told["python process"].append(seconds([sys.executable, "-c", f"import netinfof; print(netinfof.probe({graph!r}))"]))
        start = time.perf_counter()
        result = netinfof.probe(graph)
        told["call"].append(time.perf_counter() - start)
    base = statistics.median(told["command"])
    for name, values in told.items():
        middle = statistics.median(values)
        print(f"{name:15} {1000 * middle:7.0f} ms  {1000 * (middle - base):+5.0f} ms over the command")
    print("scores:", ", ".join(f"{row['component']} {row['corrected']:.3f}" for row in result.scores.rows()))
    for components in ("F,S", "U,R,F,P,S,D,X"):
        print(subprocess.run([sys.executable, "-c", MEMORY, components], check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()
