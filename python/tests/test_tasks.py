"""Probe and act: what they say, and that they say it as the command does."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import netinfof


def told(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs from run to run."""
    for key in ("command", "threads", "peak_memory_bytes"):
        report.pop(key, None)
    for split in report["splits"]:
        split.pop("seconds", None)
    return report


def by_command(command: str, *words: str) -> dict[str, Any]:
    done = subprocess.run([command, *words, "--json", "-", "--quiet"], check=True, capture_output=True, text=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("goal", ["probe", "act"])
@pytest.mark.parametrize("task", ["links", "nodes"])
def test_same_bits_as_the_command(command: str, goal: str, task: str) -> None:
    run = getattr(netinfof, goal)
    ours = run("synth:demo", task=task, random_state=3, dim=32, components=["U", "F", "S"], n_jobs=1)
    theirs = by_command(command, goal, "synth:demo", "--task", task, "--seed", "3", "--dim", "32", "--components", "U,F,S")
    assert told(ours.data) == told(theirs)
    assert ours.data != run("synth:demo", task=task, random_state=4, dim=32, components=["U", "F", "S"]).data


def test_same_bits_from_arrays_and_from_a_file(command: str, data: Path, tmp_path: Path) -> None:
    """Cora: the file through the command, the same graph as arrays through Python."""
    theirs = by_command(command, "probe", str(data / "cora.npz"))
    graph = netinfof.Graph.of(data / "cora.npz")
    arrays = netinfof.Graph(graph.edge_index[:, ::-1], graph.x, graph.y, name="cora")
    for source in (data / "cora.npz", arrays):
        ours, expected = told(netinfof.probe(source).data), told(theirs.copy())
        # Arrays have no file whose columns could be told.
        assert (ours["graph"].pop("schema", None) is None) == (source is arrays)
        expected["graph"] = {key: value for key, value in expected["graph"].items() if key != "schema"}
        assert ours == expected


def test_models_of_the_command_and_of_python_are_the_same_file(command: str, tmp_path: Path) -> None:
    netinfof.act("synth:demo?seed=0").model.save(tmp_path / "ours")  # type: ignore[union-attr]
    subprocess.run([command, "act", "synth:demo?seed=0", "--save", str(tmp_path / "theirs"), "-q"], check=True, capture_output=True)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    model = netinfof.Model.load(tmp_path / "theirs")
    assert model.task == "links" and model.graph.num_nodes == 1200
    words = ["--node", "5", "--k", "4", "--exclude-known", "--edges", "all", "-q", "-o", str(tmp_path / "found.jsonl")]
    subprocess.run([command, "recommend", str(tmp_path / "ours"), *words], check=True, capture_output=True)
    theirs = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert model.recommend([5], k=4).rows() == theirs


def test_threads_do_not_matter() -> None:
    one, three = (netinfof.act("synth:demo", n_jobs=n, dim=16, components="U,S,X") for n in (1, 3))
    assert told(one.data) == told(three.data)


def test_a_result_is_many_things(tmp_path: Path) -> None:
    result = netinfof.probe("synth:demo", dim=16)
    assert "structure" in result.information["group"] and all(bits <= 1 for bits in result.information["bits"])
    assert result.verdict.kind in ("gnn", "combine", "structure", "features", "any", "nothing", "undecided")
    assert str(result.verdict).startswith(result.verdict.headline)
    assert json.loads(result.to_json())["graph"]["name"] == "demo"
    page = result.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page and page.startswith("<!doctype html>")
    assert result._repr_html_().startswith("<iframe srcdoc=") and "<style" not in result._repr_html_()
    assert "netinfof.probe(" in page
    assert "link prediction" in str(result) and result.verdict.headline in repr(result)
    again = netinfof.Result.from_json(result.to_json())
    assert told(again.data) == told(pickle.loads(pickle.dumps(result)).data)
    result.to_json(tmp_path / "run.json")
    assert netinfof.Result.from_json(tmp_path / "run.json").to_json() == result.to_json() + "\n"
    (tmp_path / "run.json").unlink()
    with pytest.raises(ValueError, match="not a report of netinfof"):
        netinfof.Result.from_json("{}")
    with pytest.raises(FileNotFoundError):
        result.to_html(tmp_path / "no" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_scores_are_a_table_for_everyone() -> None:
    scores = netinfof.probe("synth:demo", dim=16, components="U,F").scores
    assert scores["component"] == ["U", "F"] and scores.rows()[0]["group"] == "structure"
    assert scores._repr_html_().startswith("<table>")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame(scores)
    assert frame.shape == (2, 12) and frame.score[0] == scores["score"][0]
    assert polars.DataFrame(scores)["score"].to_list() == scores["score"]
    assert scores.to_pandas().equals(frame) and scores.to_polars().shape == (2, 12)


def test_plot(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = netinfof.probe("synth:demo", dim=16).plot()
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "U"
    axes.figure.savefig(tmp_path / "scores.png")
    assert (tmp_path / "scores.png").stat().st_size > 5000


def test_mistakes_are_told_as_the_command_tells_them(command: str) -> None:
    for fault, kwargs in [
        (r"invalid `dim`: 0 \(need 1 to 4096\)", {"dim": 0}),
        (r"invalid `protocol`: dirty \(need one of clean, paper\)", {"protocol": "dirty"}),
        (r"invalid `components`: Q", {"components": "Q"}),
        (r"invalid `task`: edges \(need one of links, nodes\)", {"task": "edges"}),
        (r"invalid `dim`: 2.5 \(need a whole number\)", {"dim": 2.5}),
        (r"invalid `splits`: -1 \(need 0 or more\)", {"splits": -1}),
        (r"invalid `random_state`: 2.5 \(need a whole number\)", {"random_state": 2.5}),
        (r"invalid `n_jobs`: 1.5 \(need a whole number\)", {"n_jobs": 1.5}),
        (r"invalid `train`: 2", {"shares": (2, 0.1)}),
    ]:
        with pytest.raises(ValueError, match=fault):
            netinfof.probe("synth:demo", **kwargs)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"invalid `ridge`: x \("):
        netinfof.act("synth:demo", ridge="x")  # type: ignore[arg-type]
    done = subprocess.run([command, "probe", "--dim", "0"], capture_output=True, text=True, check=False)
    with pytest.raises(ValueError) as caught:
        netinfof.probe("synth:demo", dim=0)
    assert f"error: {caught.value}" == done.stderr.splitlines()[0]
    with pytest.raises(TypeError, match=r"probe\(\) got an unexpected keyword argument 'dimm'; did you mean 'dim'\?"):
        netinfof.probe("synth:demo", dimm=4)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="did you mean 'random_state'"):
        netinfof.probe("synth:demo", seed=4)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="need 'links' or 'nodes'"):
        netinfof.probe("synth:demo", [1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="split: the graph is too small: 1 edge,"):
        netinfof.probe([[0], [1]])
    with pytest.raises(ValueError, match="the graph has no labels"):
        netinfof.probe(netinfof.Graph(np.ones((2, 5), int)), task="nodes")
    with pytest.raises(ValueError, match="n_jobs"):
        netinfof.probe("synth:demo", n_jobs=0)


def test_keywords_of_the_other_task_are_refused() -> None:
    from netinfof._options import _TASK_OF

    assert set(_TASK_OF) < set(netinfof.Options.__annotations__)
    with pytest.raises(TypeError, match=r"probe\(\) got the keyword argument 'negatives', which applies to task='links' only; this is task='nodes'"):
        netinfof.probe("synth:demo", task="nodes", negatives="heart")
    with pytest.raises(TypeError, match=r"act\(\) got the keyword argument 'max_p', which applies to task='nodes' only"):
        netinfof.act("synth:demo", max_p=0.01)
    # None stands for the default, of either task.
    assert netinfof.probe("synth:demo", task="nodes", negatives=None, ordered_pairs=False, dim=8.0, splits=np.int32(1)).task == "nodes"  # type: ignore[arg-type]


def test_the_table_of_tasks_is_that_of_the_command(command: str) -> None:
    from netinfof._options import _TASK_OF

    text = subprocess.run([command, "probe", "--help"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s+--([a-z0-9-]+)[^\n]*\n\s+(Links|Nodes):", text, re.MULTILINE)
    of_graphs = ("context", "time")
    assert {name.replace("-", "_"): task.lower() for name, task in found if name not in of_graphs} == _TASK_OF


def test_keywords_are_the_words_of_the_command(command: str) -> None:
    help_text = subprocess.run([command, "probe", "--help"], check=True, capture_output=True, text=True).stdout
    words = {word[2:].replace("-", "_") for word in re.findall(r"^\s+(?:-\w, )?(--[a-z0-9-]+)", help_text, re.MULTILINE)}
    elsewhere = {"task", "seed", "threads", "quiet", "help", "json", "html", "verbose", "nodes", "label", "ends", "format", "split", "train", "valid", "test"}
    # Of the graph: `Graph.from_file` and `Graph` take them.
    elsewhere |= {"bipartite", "no_bipartite", "context", "directed", "weight", "weight_scale", "time", "target", "communities"}
    elsewhere |= {"id", "header", "no_header", "features", "drop", "categorical", "numeric"}  # Of the graph's tables.
    elsewhere |= {"memory", "plan", "progress", "resume"}  # Of the process.
    elsewhere.add("component")  # The keyword `components` takes a mapping instead of files.
    assert words - elsewhere == set(netinfof.Options.__annotations__)


def test_the_smallest_gain_worth_having() -> None:
    gained = netinfof.probe("synth:demo", task="nodes", splits=1, smallest_gain=0.2)
    assert gained.data["params"]["smallest_gain"] == 0.2
    estimator = netinfof.NodeProbe(splits=1, smallest_gain=0.2).fit("synth:demo")
    assert estimator.result_.data["params"] == gained.data["params"]
    with pytest.raises(ValueError, match=r"invalid `smallest_gain`: 0 \(need a share of the entropy above 0, at most 0.5\)"):
        netinfof.probe("synth:demo", smallest_gain=0.0)


def test_a_model_without_information_stands_beside_the_metrics() -> None:
    links = netinfof.act("synth:demo")
    assert links.no_information == {"auc": 0.5, "ap": 0.5}
    nodes = netinfof.act("synth:demo", task="nodes")
    assert nodes.no_information["balanced_accuracy"] == 0.25
    assert nodes.no_information.keys() == nodes.test.keys()
    assert netinfof.probe("synth:demo").no_information == {}


def test_hints_are_notes() -> None:
    with pytest.raises(ValueError) as caught:
        netinfof.probe([[0], [1]])
    assert getattr(caught.value, "__notes__", ["hint"])[0].startswith("hint")


def test_a_split_of_ones_own(demo: netinfof.Graph, tmp_path: Path, command: str) -> None:
    split = netinfof.link_split(demo, random_state=0)
    own = netinfof.act(demo, split=split, dim=16)
    assert own.data["splits"][0]["seed"] == 0 and own.tested is not None
    assert np.array_equal(own.tested.items[: len(split.test)], split.test)
    split.save(tmp_path / "split.npz")
    theirs = by_command(command, "act", "synth:demo?seed=0", "--dim", "16", "--split", str(tmp_path / "split.npz"))
    assert told(netinfof.act("synth:demo?seed=0", dim=16, split=tmp_path / "split.npz").data) == told(theirs.copy())
    nodes = netinfof.node_split(demo, train=0.1, valid=0.1)
    nodes.save(tmp_path / "nodes.npz")
    one = netinfof.probe(demo, task="nodes", split=nodes, dim=16)
    two = netinfof.probe(demo, task="nodes", split=str(tmp_path / "nodes.npz"), dim=16)
    assert told(one.data) == told(two.data)
    with pytest.raises(TypeError, match="a NodeSplit for task='links'"):
        netinfof.probe(demo, split=nodes)
    with pytest.raises(ValueError, match="has no train_mask"):
        netinfof.probe(demo, task="nodes", split="masks")
    with pytest.raises(TypeError, match="cannot read a split from int"):
        netinfof.probe(demo, split=3)  # type: ignore[arg-type]


def test_own_components() -> None:
    rng = np.random.default_rng(0)
    edge_index = rng.integers(0, 600, (2, 3000))
    y = rng.integers(0, 3, 600)
    graph = netinfof.Graph(edge_index, x=rng.normal(size=(600, 5)).astype(np.float32), y=y)
    options: dict[str, Any] = {"task": "nodes", "shares": (0.4, 0.2)}
    assert netinfof.probe(graph, **options).verdict.kind in ("nothing", "undecided")
    own = {"copy": y, "coins": rng.normal(size=(600, 4))}
    result = netinfof.act(graph, components=own, **options)
    assert result.verdict.kind == "features" and "`copy`" in result.verdict.next and "coins" not in result.verdict.next
    assert result.test["accuracy"] > 0.95
    gains = {gain["of"]: gain["answer"] for gain in result.data["predictive_information"]["gains"]}
    assert gains["all with copy"] == "shown" and gains["all with coins"] != "shown"
    assert result.model is not None and "copy" in result.model.components
    with_own = graph.with_components(own)
    assert with_own.components == ["copy", "coins"] and graph.components == []
    again = netinfof.act(with_own, **options)
    assert again.test == result.test
    fitted = netinfof.NodeClassifier(components={"copy": y.astype(float)}).fit(graph)
    assert (fitted.predict(with_own) == y).mean() > 0.95
    faults: list[tuple[dict[str, Any], str]] = [({"U": y}, "not built in"), ({"short": y[:5]}, "5 rows for 600 nodes"), ({"text": ["a"] * 600}, "must hold numbers")]
    for bad, what in faults:
        with pytest.raises(ValueError, match=what):
            netinfof.probe(graph, components=bad, **options)
