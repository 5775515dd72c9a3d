"""Writes the tables of docs/baselines.md: python benchmarks/baselines.py RESULTS ACT

RESULTS is a folder with files of `python -m netinfof.baselines --json`, ACT one with files of `netinfof act --json` on the same splits, named
GRAPH.TASK.json. Cells of the tables without a file there stay as they are; splits that a cell does not have yet are added to it. Without
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
METRICS = {"links": "hits@100", "nodes": "accuracy", "links-paper": "hits@100"}
TITLES = {"links": "Links: Hits@100", "nodes": "Nodes: accuracy"}
PAPER = ROOT / "crates" / "netinfof-reproduce" / "src" / "paper.rs"
#: Models of the paper, by the name of their values in paper.rs.
PUBLISHED = {"gcn": "GCN", "sage": "SAGE", "gat": "GAT", "h2gcn": "H2GCN", "gpr": "GPR", "seal": "SEAL"}


def collect(results: Path, act: Path) -> dict:
    """One entry per task, model and graph: mean, deviation, number of splits, seconds, device, failures."""
    from netinfof.baselines import MODELS

    found: dict = {}
    for path in sorted(results.glob("*.json")):
        data = json.loads(path.read_text())
        task = "links-paper" if data.get("split", {}).get("protocol") == "paper" else data["task"]
        for run in data["runs"]:
            found.setdefault((task, run["model"], data["graph"]["name"]), []).append(run)
    earlier = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept: dict = {task: earlier.get(task, {}) for task in METRICS}
    for task, rows in kept.items():
        metric = METRICS[task]
        for path in sorted(act.glob(f"*.{task}.json")):
            data = json.loads(path.read_text())
            row = rows.setdefault("netinfof act", {"title": "**netinfof `act`**", "family": "combination", "graphs": {}})
            row["graphs"][data["graph"]["name"]] = {
                "mean": data["mean"]["test"][metric],
                "std": data["std"]["test"][metric],
                "splits": len(data["splits"]),
                "seconds": statistics.mean(split["seconds"]["total"] for split in data["splits"]),
                "device": f"{data['threads']} CPU threads",
            }
        for name, model in MODELS[task.split("-")[0]].items():
            for graph in GRAPHS:
                runs = found.get((task, name, graph))
                if not runs:
                    continue
                values = [run["test"][metric] for run in runs if run["status"] == "ok"]
                row = rows.setdefault(name, {"title": model.title, "family": model.family, "graphs": {}})
                cell = {
                    "mean": statistics.mean(values) if values else None,
                    "std": statistics.pstdev(values) if values else None,
                    "splits": len(values),
                    "seeds": sorted(run["seed"] for run in runs if run["status"] == "ok"),
                    "seconds": statistics.mean(run["seconds"] for run in runs),
                    "device": runs[0]["device"],
                    "failures": sorted({run["status"] for run in runs if run["status"] != "ok"}),
                }
                memory = max(run["peak_memory_bytes"] for run in runs)
                if memory and cell["device"].startswith("cuda"):
                    cell["memory"] = memory
                row["graphs"][graph] = joined(row["graphs"].get(graph), cell)
        order = ["netinfof act", *MODELS[task.split("-")[0]]]
        kept[task] = {name: rows[name] for name in order if name in rows}
    return kept


def joined(earlier: dict | None, cell: dict) -> dict:
    """A cell with the splits of an earlier one, if these are others; else the new cell alone."""
    if earlier is None or not earlier["splits"] or not cell["splits"]:
        return cell
    before = earlier.get("seeds", list(range(earlier["splits"])))
    if set(before) & set(cell["seeds"]):
        return cell
    shares = [(found, found["splits"] / (earlier["splits"] + cell["splits"])) for found in (earlier, cell)]
    mean = sum(share * found["mean"] for found, share in shares)
    square = sum(share * (found["std"] ** 2 + found["mean"] ** 2) for found, share in shares)
    return {
        **cell,
        "mean": mean,
        "std": max(0.0, square - mean**2) ** 0.5,
        "splits": earlier["splits"] + cell["splits"],
        "seeds": sorted([*before, *cell["seeds"]]),
        "seconds": sum(share * found["seconds"] for found, share in shares),
    }


def published(task: str) -> dict:
    """The values of the paper by model and graph, as they stand in paper.rs."""
    text = PAPER.read_text()
    columns = re.findall(r'graph\(\s*"(\w+)"', text[text.index("GRAPHS: [PaperGraph") :])
    found: dict = {}
    for name, constant in PUBLISHED.items():
        constant = constant if name == "seal" else f"{task.split('-')[0].upper()}_{constant}"
        match = re.search(rf"const {constant}: RealGraphValues = \[(.*?)\];", text, flags=re.DOTALL)
        if match is not None and not (name == "seal" and task == "nodes"):
            cells = re.findall(r"None|Some\(\(([\d.]+), ([\d.]+)\)\)", match[1])
            found[name] = {graph: (float(cell[0]), float(cell[1])) for graph, cell in zip(columns, cells) if cell[0]}
    return found


def beside(kept: dict) -> str:
    """Our rows of the paper's models beside the published ones."""
    out = ["| table | model | graph | published | ours | two deviations |", "|---|---|---|---|---|---|"]
    for task, table in (("links-paper", "3"), ("nodes", "12")):
        for name, values in published(task).items():
            row = kept[task].get(name)
            for graph in ("cora", "citeseer", "pubmed"):
                cell = row["graphs"].get(graph) if row else None
                if graph not in values or cell is None or cell["mean"] is None:
                    continue
                (theirs, deviation), mean, own = values[graph], 100 * cell["mean"], 100 * cell["std"]
                margin = 2 * (deviation**2 + own**2) ** 0.5 + 0.05
                place = "" if cell["splits"] < 2 else "within" if abs(mean - theirs) <= margin else "above" if mean > theirs else "below"
                ours = f"{mean:.1f} ± {own:.1f}" if cell["splits"] > 1 else f"{mean:.1f}"
                splits = "" if cell["splits"] == 5 else f" ({cell['splits']})"
                number = "9" if name == "seal" else table
                out.append(f"| {number} | {row['title']} | {GRAPHS[graph]} | {theirs} ± {deviation} | {ours}{splits} | {place} |")
    return "\n".join(out)


def tables(kept: dict) -> str:
    """The tables as Markdown."""
    out = []
    for task, rows in kept.items():
        if task not in TITLES:
            continue
        graphs = [graph for graph in GRAPHS if any(graph in row["graphs"] for row in rows.values())]
        # A single split is not enough to be called the best.
        several = [row["graphs"] for row in rows.values()]
        best = {graph: max((row[graph]["mean"] or 0.0) for row in several if graph in row and row[graph]["splits"] > 1) for graph in graphs}

        def quality(row: dict, graph: str) -> str:
            cell = row["graphs"].get(graph)
            if cell is None:
                return "–"
            if cell["mean"] is None:
                return ", ".join(cell["failures"])
            text = f"{100 * cell['mean']:.1f} ± {100 * cell['std']:.1f}" if cell["splits"] > 1 else f"{100 * cell['mean']:.1f}"
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
            out.append(f"| {row['title']} | " + " | ".join("–" if cell is None else f"{cell['seconds']:.1f}" for cell in cells) + " |")
        out += ["", "Largest memory of the GPU, in MiB:", "", "| model | " + " | ".join(GRAPHS[graph] for graph in graphs) + " |"]
        out += ["|---|" + "---|" * len(graphs)]
        for row in rows.values():
            held = [row["graphs"].get(graph, {}) for graph in graphs]
            if any("memory" in cell for cell in held):
                out.append(f"| {row['title']} | " + " | ".join(f"{cell['memory'] / 2**20:.0f}" if "memory" in cell else "–" for cell in held) + " |")
        out.append("")
    return "\n".join(out)


def main() -> None:
    if len(sys.argv) > 1:
        kept = collect(Path(sys.argv[1]), Path(sys.argv[2]))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    page = ROOT / "docs" / "baselines.md"
    text = page.read_text()
    kept = json.loads(KEPT.read_text())
    for name, made in (("tables", tables(kept)), ("published", beside(kept))):
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", lambda m: f"{m[1]}\n{made.strip()}\n\n{m[2]}", text, flags=re.DOTALL)
    page.write_text(text)


if __name__ == "__main__":
    main()
