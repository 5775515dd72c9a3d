"""The tutorials run, and what is committed of them is small."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "tutorials"


def runner() -> Any:
    spec = importlib.util.spec_from_file_location("tutorials", ROOT / "scripts" / "tutorials.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tutorials"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["own-table", "recommender"])
def test_tutorials_run(name: str) -> None:
    pytest.importorskip("pandas")
    notebook = runner().run(FOLDER / f"{name}.ipynb")
    assert all(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code" and "assert" not in "".join(cell["source"]))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: str(path.stem))
def test_what_is_committed_of_tutorials(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert outputs and all(output["output_type"] == "stream" for output in outputs), "python scripts/tutorials.py --write"
    assert path.stat().st_size < 40_000
    page = runner().page(path)
    assert page.startswith("# ") and page.count("```") % 2 == 0


def test_the_pyg_tutorial_shows_pages_and_pictures(tmp_path: Path) -> None:
    pytest.importorskip("torch_geometric")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(FOLDER / "pyg.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"image/png", "text/html"} <= kinds
