"""Writes oracle.json: what scikit-learn and SciPy say about small random problems.

Run with numpy, scipy and scikit-learn installed:  python make.py > oracle.json
"""

import json

import numpy as np
from scipy.sparse.linalg import lsqr
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import average_precision_score, roc_auc_score

rng = np.random.default_rng(0)
n, d = 14, 4
z = rng.normal(size=(n, d)).astype(np.float32)
edges = np.array(sorted({tuple(sorted(e)) for e in rng.integers(0, n, size=(30, 2)) if e[0] != e[1]}))
both = np.vstack([edges, edges[:, ::-1]])
ridge = Ridge(alpha=1.0, fit_intercept=False).fit(z[both[:, 0]], z[both[:, 1]])

x = rng.random(size=(30, 9)).astype(np.float32)
pca = PCA(n_components=5, svd_solver="full").fit(x.astype(np.float64))

positives, negatives = rng.normal(1, 1, 40).round(1), rng.normal(0, 1, 50).round(1)
labels = np.r_[np.ones(40), np.zeros(50)]
scores = np.r_[positives, negatives]

a, b, start = rng.normal(size=(20, 6)), rng.normal(size=20), rng.normal(size=6)
solution = lsqr(a, b, damp=1.3, x0=start, atol=1e-14, btol=1e-14)[0]

print(
    json.dumps(
        {
            "z": z.tolist(),
            "edges": edges.tolist(),
            "ridge": ridge.coef_.T.tolist(),
            "x": x.tolist(),
            "pca_scores": pca.transform(x).tolist(),
            "positives": positives.tolist(),
            "negatives": negatives.tolist(),
            "auc": roc_auc_score(labels, scores),
            "average_precision": average_precision_score(labels, scores),
            "a": a.tolist(),
            "b": b.tolist(),
            "start": start.tolist(),
            "lsqr": solution.tolist(),
        }
    )
)
