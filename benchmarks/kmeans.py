"""Compares k-means with that of scikit-learn: same rows, same number of clusters, same number of restarts, one run.

    python benchmarks/kmeans.py

Needs numpy and scikit-learn.
"""

import subprocess
import tempfile
import time

import numpy as np
from sklearn.cluster import KMeans

rng = np.random.default_rng(0)
print("| rows | k | scikit-learn | inertia | netinfof | inertia |\n|---|---|---|---|---|---|")
for n, k in ((2500, 14), (18700, 6), (13000, 20), (100000, 20)):
    # Overlapping clusters on the unit sphere, similar to node embeddings.
    centres = rng.normal(size=(k, 128))
    x = centres[rng.integers(0, k, n)] + 2.0 * rng.normal(size=(n, 128))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    with tempfile.NamedTemporaryFile(suffix=".f32") as file:
        x.tofile(file.name)
        start = time.time()
        theirs = KMeans(k, n_init=4, max_iter=100, tol=1e-4, random_state=0).fit(x)
        seconds = time.time() - start
        command = ["cargo", "run", "--release", "-q", "-p", "netinfof-bench", "--example", "kmeans", "--"]
        ours = subprocess.run(command + [file.name, "128", str(k), "4"], capture_output=True, text=True, check=True)
        own_seconds, inertia = map(float, ours.stdout.split())
    print(f"| {n} | {k} | {seconds:.2f} s | {theirs.inertia_:.1f} | {own_seconds:.2f} s | {inertia:.1f} |")
