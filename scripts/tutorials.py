"""Runs the code of the tutorial notebooks, without Jupyter, and stores what it shows as text.

    python scripts/tutorials.py                     runs all; fails where one fails
    python scripts/tutorials.py own-table --write   runs this one and stores its outputs
    python scripts/tutorials.py --page own-table    prints it as a page of the site

A cell shows what it prints and the value of its last line. A package that is missing skips the notebook.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
#: Longer outputs are cut.
LINES = 30


def run(path: Path) -> dict[str, Any]:
    """Return the notebook with the outputs of a run in an empty folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    back = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
                shown = _shown("".join(cell["source"]), f"{path.name}, cell {number + 1}", names).rstrip().split("\n")
                lines = shown if len(shown) <= LINES else [*shown[:LINES], "…"]
                text = "\n".join(lines)
                cell["execution_count"] = None
                cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": [line + "\n" for line in lines]}] if text else []
        finally:
            os.chdir(back)
    return notebook


def _shown(source: str, place: str, names: dict[str, Any]) -> str:
    """Run a cell and return what it shows."""
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, place, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), place, "eval"), names)
        if value is not None and not source.rstrip().endswith(";"):
            print(value)
    return out.getvalue()


def page(path: Path) -> str:
    """Return a notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"]).rstrip()
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            parts.append("```text\n" + "".join(output.get("text", [])).rstrip() + "\n```")
    return "\n\n".join(parts) + f"\n\n[This page as a notebook]({path.name})\n"


def main(words: list[str]) -> int:
    """Run the notebooks that are named, or all."""
    named = [word for word in words if not word.startswith("-")]
    paths = [FOLDER / f"{name}.ipynb" for name in named] or sorted(FOLDER.glob("*.ipynb"))
    if "--page" in words:
        print(page(paths[0]), end="")
        return 0
    for path in paths:
        try:
            notebook = run(path)
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("netinfof"):
                raise
            print(f"{path.name}: left out, for want of {missing.name}")
            continue
        if "--write" in words:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path.name}: {sum(cell['cell_type'] == 'code' for cell in notebook['cells'])} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
