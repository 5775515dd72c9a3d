"""Baselines without PyTorch: names, features, files of results, comparisons. test_baselines_trained.py has the models."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import netinfof
import numpy as np
import pytest
from netinfof import baselines
from netinfof.baselines import _features, _models


def entry(model: str, seed: int, **rest: Any) -> dict[str, Any]:
    return {"model": model, "seed": seed, "status": "ok", "seconds": 2.0, "peak_memory_bytes": 2**20, "device": "cpu: test", **rest}


def results(task: str, runs: list[dict[str, Any]], name: str = "demo") -> baselines.Baselines:
    return baselines.Baselines({"baselines": 1, "task": task, "graph": {"name": name, "nodes": 1200, "edges": 4023, "features": 400}, "split": {}, "runs": runs})


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_one_line_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match=r"pip install 'netinfof\[baselines\]'"):
        baselines.run("synth:demo", models="gcn")
    done = subprocess.run([sys.executable, "-m", "netinfof.baselines", "synth:demo"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "netinfof[baselines]" in done.stderr


def test_the_package_does_not_import_pytorch() -> None:
    code = "import sys, netinfof, netinfof.baselines; print(any(name.split('.')[0] in ('torch', 'torch_geometric', 'scipy') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_the_package_is_imported_without_its_baselines() -> None:
    code = "import sys, netinfof; print([name for name in sys.modules if name.startswith('netinfof.baselines')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_models_are_selected_by_name() -> None:
    assert [model.name for model in _models.select("gcn, mlp,gcn", "nodes")] == ["gcn", "mlp"]
    assert len(_models.select(None, "links")) == len(baselines.MODELS["links"])
    assert len(baselines.MODELS["nodes"]["gpr"].settings()) == 24
    with pytest.raises(ValueError, match="'seal', which is a model for links"):
        _models.select(["seal"], "nodes")
    with pytest.raises(ValueError, match="'gnc' \\(need one or more of mlp"):
        baselines.run("synth:demo", "nodes", models="gnc")
    with pytest.raises(ValueError, match="invalid `splits`: 0"):
        baselines.run("synth:demo", splits=0)


def test_features_are_prepared_by_kind() -> None:
    words = np.zeros((4, 100), np.float32)
    words[0, :4] = 1.0
    words[1, 7] = 3.0
    found = _features.prepare(words)
    assert found.words and found.preparation.startswith("words")
    for rows, wanted in (("sum", [1, 1, 0, 0]), ("length", [4**0.5, 1, 0, 0]), ("raw", [4, 3, 0, 0])):
        scaled = found.scaled(rows)
        assert scaled is not None and np.allclose(scaled.sum(axis=1), wanted), rows
    amount = found.scaled("amount")
    assert amount is not None and np.array_equal(amount[:, :-1], words)
    # Logarithms of 1 + 4, 1 + 3 and twice 1 + 0, centred and scaled.
    logs = np.log([5.0, 4.0, 1.0, 1.0])
    assert np.allclose(amount[:, -1], (logs - logs.mean()) / logs.std(), atol=1e-6)
    with pytest.raises(ValueError, match="invalid `rows`: 'unit'"):
        found.scaled("unit")
    rng = np.random.default_rng(0)
    table = np.stack([rng.normal(5, 100, 500), rng.integers(0, 3, 500), np.full(500, 7.0), np.exp(rng.normal(0, 3, 500))], axis=1)
    table[0, 0] = np.nan
    prepared = _features.prepare(table.astype(np.float32))
    numbers = prepared.scaled("sum")
    assert numbers is not None and numbers is prepared.values and prepared.preparation.startswith("numbers")
    # The number with its mark of missing values, three levels with their code, and the long tail; the constant is gone.
    assert numbers.shape == (500, 2 + 4 + 1) and np.isfinite(numbers).all() and np.abs(numbers).max() <= 5.0
    assert numbers[0, 0] == 1.0 and numbers[:, 0].sum() == 1.0
    assert _features.prepare(None).scaled("sum") is None


def test_results_are_kept_as_json(tmp_path: Path) -> None:
    runs = [entry("gcn", 0, test={"accuracy": 0.8}), entry("gcn", 1, test={"accuracy": 0.6}), entry("gat", 0, status="out of memory")]
    found = results("nodes", runs)
    assert found.models == ["gcn", "gat"]
    assert found.mean("gcn") == {"accuracy": pytest.approx(0.7)} and found.std("gcn") == {"accuracy": pytest.approx(0.1)}
    assert found.mean("gat") == {}
    table = found.table()
    assert table["status"] == ["ok", "out of memory"] and table["splits"] == [2, 0]
    text = str(found)
    assert "70.0 ± 10.0" in text and "out of memory" in text
    path = tmp_path / "b.json"
    found.to_json(path)
    assert baselines.Baselines.from_json(path).data == found.data == json.loads(path.read_text())
    for wrong in ("{}", "[1]", "no json"):
        path.write_text(wrong)
        with pytest.raises(ValueError, match="is not a file of baselines"):
            baselines.Baselines.from_json(path)


def test_a_result_is_compared_with_baselines() -> None:
    result = netinfof.act("synth:demo", task="nodes", components="F,S")
    runs = [entry("mlp", 0, test={"accuracy": 0.3, "macro_f1": 0.3}), entry("gcn", 0, test={"accuracy": 0.99, "macro_f1": 0.9})]
    table = result.compare(results("nodes", runs))
    assert table["model"] == ["gcn", "netinfof act", "mlp"]
    assert table["accuracy"][1] == pytest.approx(result.test["accuracy"])
    assert table["seconds"][1] > 0 and table["memory"][1] > 0
    with pytest.raises(ValueError, match="baselines of 'links'.*result of 'nodes'"):
        result.compare(results("links", []))
    with pytest.raises(ValueError, match="'cora'"):
        result.compare(results("nodes", runs, "cora"))
    with pytest.raises(ValueError, match="need a result of act"):
        netinfof.probe("synth:demo", task="nodes", components="F").compare(results("nodes", runs))


def test_a_script_holds_the_split_of_act(tmp_path: Path) -> None:
    path = baselines.script("gcn", "synth:demo", tmp_path / "train.py", task="links", random_state=3)
    text = Path(path).read_text()
    compile(text, path, "exec")
    assert "GCNConv(400, 128)" in text and "netinfof." not in text
    arrays = np.load(tmp_path / "train.npz")
    split = netinfof.link_split(netinfof.Graph.from_file("synth:demo", random_state=3), random_state=3)
    for name in ("train", "valid", "valid_negatives", "test", "test_negatives"):
        assert np.array_equal(arrays[name], getattr(split, name))
    with pytest.raises(ValueError, match="invalid `model`: 'seal'"):
        baselines.script("seal", "synth:demo", tmp_path / "x.py")
