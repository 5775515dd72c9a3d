"""Probe's score against the accuracy of a model on one component, for every graph and component: table and picture.

    cargo build --release && python benchmarks/node_scores.py DATA_FOLDER > docs/node-scores.md

Runs `probe` and, for each component alone, `act` on the eight graphs (5 splits), writes docs/node-scores.svg and prints
the table. Standard library only.
"""

import json
import os
import subprocess
import sys

GRAPHS = ["cora", "citeseer", "pubmed", "photo", "computers", "chameleon", "squirrel", "actor"]
NAMES = ["Cora", "CiteSeer", "PubMed", "Photo", "Computers", "Chameleon", "Squirrel", "Actor"]
KINDS = "URFPS"
COLOURS = {"U": "#0072b2", "R": "#56b4e9", "F": "#e69f00", "P": "#cc79a7", "S": "#009e73"}
SHAPES = {"U": "circle", "R": "square", "F": "triangle", "P": "diamond", "S": "cross"}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(folder, graph, verb, *more):
    command = [os.path.join(ROOT, "target", "release", "netinfof"), verb, os.path.join(folder, graph + ".npz")]
    command += ["--task", "nodes", "--splits", "5", "--quiet", "--json", "-", *more]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    for rank, at in enumerate(order):
        out[at] = rank
    return out


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return covariance / sum((x - mean) ** 2 for x in a)


def mark(kind, x, y):
    colour, r = COLOURS[kind], 5
    if SHAPES[kind] == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    points = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "triangle": [(0, -r - 1), (r + 1, r), (-r - 1, r)],
        "diamond": [(0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)],
        "cross": [(-2, -6), (2, -6), (2, -2), (6, -2), (6, 2), (2, 2), (2, 6), (-2, 6), (-2, 2), (-6, 2), (-6, -2), (-2, -2)],
    }[SHAPES[kind]]
    text = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in points)
    return f'<polygon points="{text}" fill="{colour}"/>'


def picture(points, rho):
    width, height, left, top, bottom = 640, 460, 60, 50, 50
    px = lambda score: left + score * (width - left - 20)
    py = lambda accuracy: height - bottom - accuracy * (height - bottom - top)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" role="img"'
        ' aria-label="Probe score against single-component test accuracy">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="15">Node classification: score without training against accuracy with it</text>',
    ]
    for tick in range(0, 11, 2):
        v = tick / 10
        out.append(f'<line x1="{px(v):.1f}" y1="{py(0):.1f}" x2="{px(v):.1f}" y2="{py(1):.1f}" stroke="#ddd"/>')
        out.append(f'<line x1="{px(0):.1f}" y1="{py(v):.1f}" x2="{px(1):.1f}" y2="{py(v):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{px(v):.1f}" y="{py(0) + 18:.1f}" text-anchor="middle">{v:.1f}</text>')
        out.append(f'<text x="{px(0) - 8:.1f}" y="{py(v) + 4:.1f}" text-anchor="end">{v:.1f}</text>')
    out.append(f'<line x1="{px(0):.1f}" y1="{py(0):.1f}" x2="{px(1):.1f}" y2="{py(1):.1f}" stroke="#888" stroke-dasharray="4"/>')
    out.append(f'<text x="{px(0.5):.1f}" y="{height - 8}" text-anchor="middle">NetInfoF score of the component</text>')
    out.append(f'<text transform="translate(16 {py(0.5):.1f}) rotate(-90)" text-anchor="middle">test accuracy on it alone</text>')
    for graph, kind, score, accuracy in points:
        out.append(f"<g><title>{graph}, {kind}: score {score:.3f}, accuracy {accuracy:.3f}</title>{mark(kind, px(score), py(accuracy))}</g>")
    for at, kind in enumerate(KINDS):
        x, y = px(0.62) + at * 42, py(0.1)
        out.append(mark(kind, x, y) + f'<text x="{x + 10:.1f}" y="{y + 5:.1f}">{kind}</text>')
    out.append(f'<text x="{px(0.6):.1f}" y="{py(0.18):.1f}">{len(points)} points, Spearman {rho:.2f}</text></svg>')
    return "\n".join(out) + "\n"


def main():
    folder = sys.argv[1]
    points, rows, best = [], [], 0
    for graph, name in zip(GRAPHS, NAMES):
        scores = run(folder, graph, "probe")["mean"]["components"]
        accuracy = {k: run(folder, graph, "act", "--components", k, "--max-p", "1")["mean"]["test"]["accuracy"] for k in KINDS}
        full = run(folder, graph, "act")
        points += [(name, k, scores[k], accuracy[k]) for k in KINDS]
        best += max(KINDS, key=scores.get) == max(KINDS, key=accuracy.get)
        cells = " | ".join(f"{scores[k]:.3f} / {100 * accuracy[k]:.1f}" for k in KINDS)
        mean, std = full["mean"]["test"]["accuracy"], full["std"]["test"]["accuracy"]
        rows.append(f"| {name} | {cells} | {100 * mean:.1f} ± {100 * std:.1f} |")
    rho = spearman([p[2] for p in points], [p[3] for p in points])
    with open(os.path.join(ROOT, "docs", "node-scores.svg"), "w") as file:
        file.write(picture(points, rho))
    print("# Node classification: score against accuracy\n")
    print("Made by `benchmarks/node_scores.py`: 5 splits (seeds 0–4), 2.5 % of the nodes train, 2.5 % validate, 95 % test. Each")
    print("cell: Probe's score / test accuracy in percent of a model on that component alone. Last: the full model.\n")
    print("| | U | R | F | P | S | all |\n|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print(f"\nSpearman's rank correlation over the {len(points)} points: {rho:.3f}. The component with the highest score has the highest")
    print(f"accuracy on {best} of {len(GRAPHS)} graphs.\n\n![score against accuracy](node-scores.svg)")


main()
