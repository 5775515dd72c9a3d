"""Writes the tables of docs/baselines.md: python benchmarks/baselines.py RESULTS ACT

RESULTS is a folder with files of `python -m netinfof.baselines --json`, ACT one with files of `netinfof act --json` on the same splits. Without
arguments the tables are written again from docs/baselines.json, which holds what they show.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "baselines.json"
GRAPHS = {
    "cora": "Cora",
    "citeseer": "CiteSeer",
    "pubmed": "PubMed",
    "photo": "Photo",
    "computers": "Computers",
    "chameleon": "Chameleon",
    "squirrel": "Squirrel",
    "actor": "Actor",
}
METRICS = {"links": "hits@100", "nodes": "accuracy"}
TITLES = {"links": "Links: Hits@100", "nodes": "Nodes: accuracy"}


def collect(results: Path, act: Path) -> dict:
    """One entry per task, model and graph: mean, deviation, number of splits, seconds, memory, device, failures."""
    found: dict = {}
    for path in sorted(results.glob("*.json")):
        data = json.loads(path.read_text())
        for run in data["runs"]:
            key = (data["task"], run["model"], data["graph"]["name"])
            found.setdefault(key, []).append(run)
    from netinfof.baselines import MODELS

    kept: dict = {"links": {}, "nodes": {}}
    for task, models in MODELS.items():
        metric = METRICS[task]
        for path in sorted(act.glob(f"*.{task}.json")):
            data = json.loads(path.read_text())
            row = kept[task].setdefault("netinfof act", {"title": "**netinfof `act`**", "family": "combination", "graphs": {}})
            row["graphs"][data["graph"]["name"]] = {
                "mean": data["mean"]["test"][metric],
                "std": data["std"]["test"][metric],
                "splits": len(data["splits"]),
                "seconds": statistics.mean(split["seconds"]["total"] for split in data["splits"]),
                "memory": data["peak_memory_bytes"],
                "device": f"{data['threads']} CPU threads",
            }
        for name, model in models.items():
            for graph in GRAPHS:
                runs = found.get((task, name, graph))
                if not runs:
                    continue
                values = [run["test"][metric] for run in runs if run["status"] == "ok"]
                row = kept[task].setdefault(name, {"title": model.title, "family": model.family, "graphs": {}})
                row["graphs"][graph] = {
                    "mean": statistics.mean(values) if values else None,
                    "std": statistics.pstdev(values) if values else None,
                    "splits": len(values),
                    "seconds": statistics.mean(run["seconds"] for run in runs),
                    "memory": max(run["peak_memory_bytes"] for run in runs),
                    "device": runs[0]["device"],
                    "failures": sorted({run["status"] for run in runs if run["status"] != "ok"}),
                }
    return kept


def tables(kept: dict) -> str:
    """The tables as Markdown."""
    out = []
    for task, rows in kept.items():
        graphs = [graph for graph in GRAPHS if any(graph in row["graphs"] for row in rows.values())]
        best = {graph: max((row["graphs"][graph]["mean"] or 0.0) for row in rows.values() if graph in row["graphs"]) for graph in graphs}

        def quality(row: dict, graph: str) -> str:
            cell = row["graphs"].get(graph)
            if cell is None:
                return ""
            if cell["mean"] is None:
                return ", ".join(cell["failures"])
            text = f"{100 * cell['mean']:.1f} ± {100 * cell['std']:.1f}"
            text = f"**{text}**" if cell["mean"] == best[graph] else text
            return text if cell["splits"] == 5 else f"{text} ({cell['splits']})"

        out += [f"### {TITLES[task]}", "", "| model | sees | " + " | ".join(GRAPHS[graph] for graph in graphs) + " |"]
        out += ["|---|---|" + "---|" * len(graphs)]
        for row in rows.values():
            out.append(f"| {row['title']} | {row['family']} | " + " | ".join(quality(row, graph) for graph in graphs) + " |")
        out += ["", "Seconds per split, with the choice among all settings:", "", "| model | " + " | ".join(GRAPHS[graph] for graph in graphs) + " |"]
        out += ["|---|" + "---|" * len(graphs)]
        for row in rows.values():
            cells = (row["graphs"].get(graph) for graph in graphs)
            out.append(f"| {row['title']} | " + " | ".join("" if cell is None else f"{cell['seconds']:.1f}" for cell in cells) + " |")
        out.append("")
    return "\n".join(out)


def main() -> None:
    if len(sys.argv) > 1:
        kept = collect(Path(sys.argv[1]), Path(sys.argv[2]))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    page = ROOT / "docs" / "baselines.md"
    text = page.read_text()
    made = tables(json.loads(KEPT.read_text()))
    page.write_text(re.sub(r"(<!-- tables -->\n).*?(<!-- end -->)", lambda m: f"{m[1]}\n{made}\n{m[2]}", text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
