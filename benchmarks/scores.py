"""Compares Probe's score of a component with the test result of a model on it, as a table and a plot.

    cargo build --release && python benchmarks/scores.py nodes DATA_FOLDER

Runs `act` on the eight graphs (5 splits), with each component alone and with the default components. Writes
docs/node-scores.md and .svg (for `links`: docs/link-scores.md and .svg). Needs only the standard library.
"""

import json
import os
import subprocess
import sys
import textwrap

GRAPHS = ["cora", "citeseer", "pubmed", "photo", "computers", "chameleon", "squirrel", "actor"]
NAMES = ["Cora", "CiteSeer", "PubMed", "Photo", "Computers", "Chameleon", "Squirrel", "Actor"]
COLOURS = {"U": "#0072b2", "R": "#56b4e9", "F": "#e69f00", "P": "#cc79a7", "S": "#009e73", "D": "#d55e00", "X": "#000000"}
SHAPES = {"U": "circle", "R": "square", "F": "triangle", "P": "diamond", "S": "cross", "D": "wedge", "X": "saltire"}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Markdown of the project wraps at 100 columns.
WRAP = {"width": 100, "break_long_words": False, "break_on_hyphens": False}


TASK, FOLDER = sys.argv[1:3]
KINDS = {"nodes": "URFPS", "links": "URFPSDX"}[TASK]
METRIC = {"nodes": "accuracy", "links": "hits@100"}[TASK]
LABEL = {"nodes": "accuracy", "links": "Hits@100"}[TASK]
MODEL = {"nodes": " (`--node-model softmax`)", "links": ""}[TASK]
COUNT = {"nodes": "five", "links": "seven"}[TASK]
TITLE = {"nodes": "Node classification", "links": "Link prediction, clean protocol"}[TASK]
OUT = os.path.join(ROOT, "docs", {"nodes": "node", "links": "link"}[TASK] + "-scores")


def run(graph, verb, *more):
    command = [os.path.join(ROOT, "target", "release", "netinfof"), verb, os.path.join(FOLDER, graph + ".npz")]
    command += ["--task", TASK, "--splits", "5", "--quiet", "--json", "-", *more]
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
        "wedge": [(0, r + 1), (r + 1, -r), (-r - 1, -r)],
        "saltire": [(-5, -3), (-3, -5), (0, -2), (3, -5), (5, -3), (2, 0), (5, 3), (3, 5), (0, 2), (-3, 5), (-5, 3), (-2, 0)],
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
        f' aria-label="Probe score against single-component test {LABEL}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="15">{TITLE}: score against test {LABEL}</text>',
    ]
    for tick in range(0, 11, 2):
        v = tick / 10
        out.append(f'<line x1="{px(v):.1f}" y1="{py(0):.1f}" x2="{px(v):.1f}" y2="{py(1):.1f}" stroke="#ddd"/>')
        out.append(f'<line x1="{px(0):.1f}" y1="{py(v):.1f}" x2="{px(1):.1f}" y2="{py(v):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{px(v):.1f}" y="{py(0) + 18:.1f}" text-anchor="middle">{v:.1f}</text>')
        out.append(f'<text x="{px(0) - 8:.1f}" y="{py(v) + 4:.1f}" text-anchor="end">{v:.1f}</text>')
    out.append(f'<line x1="{px(0):.1f}" y1="{py(0):.1f}" x2="{px(1):.1f}" y2="{py(1):.1f}" stroke="#888" stroke-dasharray="4"/>')
    out.append(f'<text x="{px(0.5):.1f}" y="{height - 8}" text-anchor="middle">NetInfoF score of the component</text>')
    out.append(f'<text transform="translate(16 {py(0.5):.1f}) rotate(-90)" text-anchor="middle">test {LABEL} on this component alone</text>')
    for graph, kind, score, accuracy in points:
        out.append(f"<g><title>{graph}, {kind}: score {score:.3f}, {LABEL} {accuracy:.3f}</title>{mark(kind, px(score), py(accuracy))}</g>")
    for at, kind in enumerate(KINDS):
        x, y = px(0.03) + at * 42, py(0.95)
        out.append(mark(kind, x, y) + f'<text x="{x + 10:.1f}" y="{y + 5:.1f}">{kind}</text>')
    out.append(f'<text x="{px(0.02):.1f}" y="{py(0.87):.1f}">{len(points)} points, Spearman {rho:.2f}</text></svg>')
    return "\n".join(out) + "\n"


def main():
    points, rows, best, by_graph = [], [], 0, []
    for graph, name in zip(GRAPHS, NAMES):
        # The paper's model, so that scores and figures are of the same components.
        model = ["--node-model", "softmax"] if TASK == "nodes" else []
        alone = ["--max-p", "1", *model] if TASK == "nodes" else []
        single = {k: run(graph, "act", "--components", k, *alone)["mean"] for k in KINDS}
        scores = {k: single[k]["components"][k] for k in KINDS}
        found = {k: single[k]["test"][METRIC] for k in KINDS}
        full = run(graph, "act", "--components", ",".join(KINDS), *model)
        points += [(name, k, scores[k], found[k]) for k in KINDS]
        best += max(KINDS, key=scores.get) == max(KINDS, key=found.get)
        by_graph.append(spearman([scores[k] for k in KINDS], [found[k] for k in KINDS]))
        cells = " | ".join(f"{scores[k]:.3f} / {100 * found[k]:.1f}" for k in KINDS)
        mean, std = full["mean"]["test"][METRIC], full["std"]["test"][METRIC]
        rows.append(f"| {name} | {cells} | {100 * mean:.1f} ± {100 * std:.1f} | {by_graph[-1]:.1f} |")
    rho = spearman([p[2] for p in points], [p[3] for p in points])
    with open(OUT + ".svg", "w") as file:
        file.write(picture(points, rho))
    lines = [
        f"# {TITLE}: score against {LABEL}",
        "",
        f"Generated by `benchmarks/scores.py {TASK}`, 5 splits (seeds 0–4).",
        "",
        textwrap.fill(
            f"Each cell: Probe's score / test {LABEL} in percent of a model on that component alone{MODEL}. The last columns are the "
            f"full model and Spearman's rank correlation of the {COUNT} scores and figures of the row.",
            **WRAP,
        ),
        "",
        f"| | {' | '.join(KINDS)} | all {COUNT} | Spearman |",
        "|---" * (len(KINDS) + 3) + "|",
        *rows,
        "",
        textwrap.fill(
            f"Spearman's correlation over all {len(points)} points: {rho:.3f}; mean over the graphs: "
            f"{sum(by_graph) / len(by_graph):.3f}. The component with the highest score has the highest {LABEL} on {best} of "
            f"{len(GRAPHS)} graphs.",
            **WRAP,
        ),
        "",
        f"![Score against {LABEL}]({os.path.basename(OUT)}.svg)",
    ]
    with open(OUT + ".md", "w") as file:
        file.write("\n".join(lines) + "\n")


main()
