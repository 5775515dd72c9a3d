"""The notebook runs, and what is committed of it has its pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "pyg.ipynb"


def outputs(notebook: Any) -> set[str]:
    return {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}


def test_the_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("torch_geometric")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert {"image/png", "text/html"} <= outputs(notebook), "committed without its pictures"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert {"image/png", "text/html"} <= outputs(notebook)
