"""Graphs from everything that holds one."""

from __future__ import annotations

import datetime
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import netinfof
from netinfof import Graph

EDGES = np.array([[0, 1, 2, 2], [1, 2, 3, 2]])
X = np.arange(8, dtype=np.float32).reshape(4, 2) + 1


def same(graph: Graph, edges: Any = ([0, 1, 2], [1, 2, 3])) -> None:
    assert graph.edge_index.tolist() == [list(end) for end in edges]


def test_arrays_are_the_edges_features_and_classes_they_hold() -> None:
    graph = Graph(EDGES, X, [2, 0, -1, 2], name="four")
    same(graph)
    assert (graph.num_nodes, graph.num_edges, graph.num_features, graph.num_classes) == (4, 3, 2, 3)
    assert graph.y is not None and graph.y.tolist() == [2, 0, -1, 2]
    assert graph.facts()["self_loops_dropped"] == 1
    assert repr(graph) == "Graph('four', nodes=4, edges=3, features=2, classes=3)"
    # Both directions, and a pair of sequences.
    same(Graph(([0, 1, 1, 2, 3], [1, 0, 2, 3, 2])))
    # Nodes after the last edge are there if somebody says so.
    assert Graph(EDGES, num_nodes=9).num_nodes == 9


def test_features_are_not_copied() -> None:
    x = np.random.default_rng(0).random((4, 5), dtype=np.float32)
    graph = Graph(EDGES, x)
    assert np.shares_memory(graph.x, x)
    x[0, 0] = 7
    # The library itself looks at the same memory.
    dense = graph._native.dense()
    assert dense is not None and dense[0, 0] == 7
    # Other kinds and layouts are copied once, and right.
    for other in (x.astype(np.float64), np.asfortranarray(x), x.tolist()):
        assert np.array_equal(np.asarray(Graph(EDGES, other).x), x)


def test_features_outlive_whoever_gave_them() -> None:
    graph = Graph(EDGES, np.random.default_rng(0).random((4, 1 << 18), dtype=np.float32))
    copy = Graph._of_native(graph._native)
    before = copy.facts()["feature_density"]
    del graph
    junk = [np.ones((4, 1 << 18), np.float32) for _ in range(4)]
    assert copy.facts()["feature_density"] == before and len(junk) == 4


def test_sparse_features_stay_sparse() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.random(4, 50, 0.05, random_state=0, format="csr", dtype=np.float32)
    graph = Graph(EDGES, x)
    assert graph.facts()["feature_storage"] == "sparse"
    assert np.array_equal(graph.x.todense(), x.todense())
    # A dense array that is mostly zeros is kept as a sparse one, as the command keeps tables; who gave it gets it back.
    dense = x.toarray()
    graph = Graph(EDGES, dense)
    assert graph.facts()["feature_storage"] == "sparse" and np.shares_memory(graph.x, dense)


def test_a_sparse_adjacency_is_its_pattern() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    adjacency = sparse.coo_matrix((np.array([1.0, 5, 1, 0]), (EDGES[0], EDGES[1])), shape=(6, 6))
    for matrix in (adjacency, adjacency.tocsr(), adjacency.tocsc(), sparse.csr_array(adjacency)):
        with pytest.warns(UserWarning, match="not used"):
            graph = Graph.of(matrix)
        same(graph)
        assert graph.num_nodes == 6
    # Not square: rows and columns are the two sides of a bipartite graph.
    bipartite = Graph.of(sparse.csr_matrix((2, 3)))
    assert bipartite.sides is not None and bipartite.sides.tolist() == [0, 0, 1, 1, 1]


def test_labels_may_be_numbers_names_or_unknown() -> None:
    nan = float("nan")
    for y, codes, classes in [
        ([1, 0, 1, 2], [1, 0, 1, 2], [0, 1, 2]),
        (np.array([1.0, nan, 0.0, nan]), [1, -1, 0, -1], [0, 1]),
        (["b", None, "a", "b"], [1, -1, 0, 1], ["a", "b"]),
        (np.array(["x", "y", "x", "y"]), [0, 1, 0, 1], ["x", "y"]),
        (np.array([True, False, True, True]), [1, 0, 1, 1], [False, True]),
        ([0, -1, None, 1], [0, -1, -1, 1], [0, 1]),
        (list(np.array([0, -1, 1, 1])), [0, -1, 1, 1], [0, 1]),
        (np.array([2, -1, 1, None], object), [2, -1, 1, -1], [0, 1, 2]),
        ([5_000_000, 7_000_000, -1, 5_000_000], [0, 1, -1, 0], [5_000_000, 7_000_000]),
        (np.array([[1], [0], [1], [0]]), [1, 0, 1, 0], [0, 1]),
    ]:
        graph = Graph(EDGES, y=y)
        assert graph.y is not None and graph.y.tolist() == codes
        assert graph.classes.tolist() == classes
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Graph(EDGES, y=[0.5, 1.5, None, 2.0], target="classes")
    with pytest.raises(ValueError, match="several columns with other values than 0, 1 and -1"):
        Graph(EDGES, y=2 * np.ones((4, 2)))


def test_contradictions_are_named() -> None:
    faults: list[tuple[str, dict[str, Any]]] = [
        (r"edge 2 is \(2, 3\), but node numbers are positions from 0 to 2", {"edge_index": EDGES, "num_nodes": 3}),
        (r"edge 0 is \(-1, 0\)", {"edge_index": [[-1], [0]]}),
        (r"3 feature rows for 4 nodes", {"edge_index": EDGES, "x": np.ones((3, 2)), "num_nodes": 4}),
        (r"feature of node 1, column 0 is infinite; a missing value is NaN", {"edge_index": EDGES, "x": [[1], [np.inf], [1], [1]]}),
        (r"an edge index of shape \(4, 2\) \(need two rows, sources and targets; use `edge_index.T`\)", {"edge_index": EDGES.T}),
        (r"invalid `num_nodes`: 2.5 \(need a whole number\)", {"edge_index": [[0], [1]], "num_nodes": 2.5}),
        (r"an edge index holds node numbers, not float64", {"edge_index": EDGES * 1.0}),
        (r"2 labels for 4 nodes", {"edge_index": EDGES, "y": [0, 1], "num_nodes": 4}),
        (r"nodes 0 and 2 have the same name `a`", {"edge_index": [[0], [1]], "nodes": ["a", "b", "a"]}),
        (r"features must be numbers, not <U1", {"edge_index": EDGES, "x": [["a"], ["b"], ["c"], ["d"]]}),
        (r"2 ids for 3 nodes", {"edge_index": [[0], [1]], "nodes": ["a", "b"], "num_nodes": 3}),
        (r"sources of length 1 and targets of length 2", {"edge_index": ([0], [1, 2])}),
    ]
    for fault, kwargs in faults:
        with pytest.raises(ValueError, match=fault):
            Graph(**kwargs)
    with pytest.raises(TypeError, match=r"cannot make a graph of builtins.int \(need"):
        Graph.of(7)
    with pytest.raises(TypeError, match=r"of shape \(4, 4\) \(need an edge index"):
        Graph.of(np.ones((4, 4)))
    with pytest.raises(TypeError, match="not a sparse adjacency matrix: ndarray"):
        Graph.from_scipy(np.eye(3))
    with pytest.raises(ValueError, match="a mapping with edges"):
        Graph.of({"edges": EDGES})


def test_names_are_kept_and_used() -> None:
    graph = Graph([[0, 1], [1, 2]], nodes=["ann", "bob", "cy"])
    assert graph.nodes.tolist() == ["ann", "bob", "cy"]
    assert graph.numbers_of([("cy", "ann")]).tolist() == [[2, 0]]
    with pytest.raises(ValueError, match=r"'anne' \(no node has this name; did you mean ann\?"):
        graph.numbers_of(["anne"])
    # Tuples may be names too.
    grid = Graph([[0, 1], [1, 2]], nodes=[(0, 0), (0, 1), (1, 1)])
    assert grid.numbers_of([(0, 1), (0, 0)]).tolist() == [1, 0]
    assert grid.numbers_of([((0, 1), (1, 1))]).tolist() == [[1, 2]]
    assert grid._asked((1, 1)).tolist() == [2] and graph._asked("cy").tolist() == [2]
    with pytest.raises(ValueError, match=r"`nodes`: a sequence of length 1 \(need at least 3 names"):
        Graph([[0, 1], [1, 2]], nodes=["a"])
    with pytest.raises(ValueError, match="need node numbers below 4"):
        Graph(EDGES).numbers_of([4])


def test_networkx_keeps_its_order_and_labels() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph(name="people")
    graph.add_node("zoe", x=[1.0, 2.0], job="cook")
    graph.add_node(("a", 1), x=[3.0, 4.0], job="smith")
    graph.add_node(7, x=[5.0, 6.0], job="cook")
    graph.add_edge(7, "zoe")
    graph.add_edge("zoe", 7)
    found = Graph.from_networkx(graph, label="job")
    assert found.nodes.tolist() == ["zoe", ("a", 1), 7]
    same(found, ([0], [2]))
    assert found.x.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.classes.tolist() == ["cook", "smith"] and found.name == "people"
    assert found.numbers_of([7, ("a", 1)]).tolist() == [2, 1]
    # Ids with gaps do not shift features (what other converters have got wrong).
    gaps = networkx.Graph()
    for node in (10, 5, 20):
        gaps.add_node(node, x=[float(node)])
    gaps.add_edge(5, 20)
    found = Graph.of(gaps)
    assert found.nodes.tolist() == [10, 5, 20] and found.x[:, 0].tolist() == [10, 5, 20]
    same(found, ([1], [2]))
    with pytest.raises(ValueError, match="node 10 has no such attribute"):
        Graph.from_networkx(gaps, features="size")
    gaps.nodes[5]["kind"] = "a"
    assert Graph.from_networkx(gaps, label="kind").y.tolist() == [-1, 0, -1]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="attribute `kind` of node 5 holds no numbers: 'a'"):
        Graph.from_networkx(gaps.subgraph([5]), features="kind")
    assert Graph.of(networkx.path_graph(4)).nodes.tolist() == [0, 1, 2, 3]


def test_networkx_labels_are_in_results() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.relabel_nodes(networkx.les_miserables_graph(), str)
    model = netinfof.LinkPredictor(dim=16).fit(graph)
    found = model.recommend(["Valjean"], k=3)
    assert set(found["node"]) == {"Valjean"} and all(partner in graph for partner in found["partner"])
    assert not any(graph.has_edge("Valjean", partner) for partner in found["partner"])
    assert model.predict_proba([("Valjean", "Javert"), ("Valjean", "Napoleon")]).shape == (2, 2)


def test_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=4, edges=[(0, 1), (1, 2), (2, 3)])
    graph.vs["name"] = ["a", "b", "c", "d"]
    graph.vs["size"] = [1.0, 2.0, 3.0, 4.0]
    graph.vs["kind"] = ["m", "n", "m", "n"]
    found = Graph.from_igraph(graph, features=["size"], label="kind")
    same(found)
    assert found.nodes.tolist() == ["a", "b", "c", "d"] and found.x[:, 0].tolist() == [1, 2, 3, 4]
    assert found.classes.tolist() == ["m", "n"]
    assert Graph.of(graph).num_edges == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str) -> None:
    frames = pytest.importorskip(library)
    edges = frames.DataFrame({"weight": [1.0, 2.0, 3.0], "Target": ["b", "c", "d"], "Source": ["a", "b", "c"]})
    found = Graph.of(edges)
    assert found.nodes.tolist() == ["a", "b", "c", "d"]
    same(found)
    nodes = frames.DataFrame({"id": ["d", "c", "b", "a"], "age": [4, 3, 2, 1], "label": ["x", "y", "x", "y"]})
    found = Graph.from_frame(edges, nodes)
    assert found.nodes.tolist() == ["d", "c", "b", "a"] and found.x[:, 0].tolist() == [4, 3, 2, 1]
    assert found.classes.tolist() == ["x", "y"]
    same(found, ([0, 1, 2], [1, 2, 3]))
    # Numbers ascend, whatever the order they come in.
    assert Graph.of(frames.DataFrame({"u": [30, 10], "v": [20, 30]})).nodes.tolist() == [10, 20, 30]
    with pytest.raises(ValueError, match="1 id of the edge frame is not in the node frame, such as `a`"):
        Graph.from_frame(edges, nodes[:3])
    with pytest.raises(ValueError, match="invalid `source`: who"):
        Graph.from_frame(edges, source="who", target="Target")
    words = Graph.from_frame(edges, frames.DataFrame({"id": ["a", "b", "c", "d"], "word": ["p", "q", "r", "q"]}))
    assert words.x[:, 0].tolist() == [0, 1, 2, 1]
    assert words.schema is not None and words.schema["columns"] == [{"name": "word", "kind": "category", "levels": ["p", "q", "r"]}]
    with pytest.raises(ValueError, match="column `age`: `inf` is not a finite number"):
        Graph.from_frame(edges, frames.DataFrame({"id": ["a", "b", "c", "d"], "age": [1.0, float("inf"), 2.0, 3.0]}))
    with pytest.raises(ValueError, match="cannot detect the id column of the node frame"):
        Graph.from_frame(edges, frames.DataFrame({"who": ["a", "b", "c", "d"]}))
    with pytest.raises(ValueError, match="only one of `source` and `target` is given"):
        Graph.from_frame(edges, source="Source")
    with pytest.raises(ValueError, match="cannot detect the id columns of the edge frame"):
        Graph.of(frames.DataFrame({"row": [1, 2], "a": [0, 1], "b": [1, 2]}))
    taken = Graph.from_frame(edges, nodes, features="age", label="label")
    assert taken.num_features == 1
    gaps = frames.DataFrame({"id": ["a", "b", "c", "d"], "label": ["x", "", None, "y"]})
    assert Graph.from_frame(edges, gaps).y.tolist() == [0, -1, -1, 1]  # type: ignore[union-attr]


def test_files_are_those_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "n.csv").write_text("id,size,label\nc,1,x\nb,2,y\na,3,x\n")
    graph = Graph.from_file(tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    assert graph.nodes.tolist() == ["c", "b", "a"] and graph.classes.tolist() == ["x", "y"]
    graph.save(tmp_path / "g.npz")
    again = Graph.of(str(tmp_path / "g.npz"))
    assert again.nodes.tolist() == ["c", "b", "a"]
    same(again, graph.edge_index.tolist())
    (tmp_path / "numbers.txt").write_text("5 7\n7 9\n")
    assert Graph.of(tmp_path / "numbers.txt").nodes.tolist() == [5, 7, 9]
    with pytest.raises(FileNotFoundError, match="nowhere.csv: no such file"):
        Graph.of("nowhere.csv")
    (tmp_path / "bad.csv").write_text("a,b\nc\n")
    with pytest.raises(ValueError, match=r"bad.csv:2: "):
        Graph.of(tmp_path / "bad.csv")
    with pytest.raises(ValueError, match="invalid `format`: txt"):
        Graph.from_file(tmp_path / "e.csv", format="txt")


def test_what_was_handed_in_may_change_afterwards() -> None:
    names, masks = np.array(["a", "b", "c", "d"]), np.array([True, False, False, True])
    graph = Graph._of_parts(netinfof._convert.Parts(EDGES[0], EDGES[1], 4, nodes=names, masks={"train": masks, "val": masks, "test": masks}), "g")
    names.sort()
    names[:] = names[::-1].copy()
    masks[:] = False
    assert graph.nodes.tolist() == ["a", "b", "c", "d"] and graph.masks is not None and graph.masks["train"].sum() == 2
    with pytest.raises(ValueError, match="read-only"):
        graph.nodes.sort()


def labels_of(graph: Graph) -> list[int]:
    assert graph.y is not None
    return [int(label) for label in graph.y]


def test_pandas_is_read_by_position() -> None:
    """The index is what sorting and splitting left behind."""
    pandas = pytest.importorskip("pandas")
    for index in ([2, 0, 3, 1], [10, 11, 12, 13], ["d", "a", "c", "b"], [0, 0, 0, 0]):
        labels = pandas.Series([0, 1, 1, 2], index=index)
        rows = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1]}, index=index)
        graph = Graph(EDGES, rows, labels)
        assert labels_of(graph) == [0, 1, 1, 2] and np.array_equal(graph.x, X)
        # Names of nodes that are not those of the index change nothing.
        assert labels_of(Graph(EDGES, y=labels, nodes=["p", "q", "r", "s"])) == [0, 1, 1, 2]
        masks = pandas.Series([True, False, True, False], index=index)
        assert netinfof.NodeSplit.from_masks(masks, ~masks, ~masks).train.tolist() == [0, 2]
    polars = pytest.importorskip("polars")
    assert labels_of(Graph(EDGES, polars.DataFrame({"a": X[:, 0]}), polars.Series([0, 1, 1, 2]))) == [0, 1, 1, 2]


def test_mappings_are_read_by_node() -> None:
    pandas, networkx = pytest.importorskip("pandas"), pytest.importorskip("networkx")
    named = networkx.relabel_nodes(networkx.karate_club_graph(), lambda node: f"n{node}")
    label = pandas.Series({node: named.nodes[node]["club"] for node in named}).sort_values()
    rows = {node: [float(at), 1.0] for at, node in reversed(list(enumerate(named)))}
    found = Graph.from_networkx(named, x=rows, y=label.to_dict())
    assert labels_of(found) == labels_of(Graph.from_networkx(named, label="club")) and found.x[:, 0].tolist() == list(range(34))
    # An index that names the nodes in another order may mean either.
    with pytest.raises(ValueError, match=r"invalid `y`: its index names the nodes of the graph in another order .* need `y.to_dict\(\)`"):
        Graph.from_networkx(named, y=label)
    with pytest.raises(ValueError, match=r"invalid `x`: its index names the nodes"):
        Graph.from_networkx(named, x=pandas.DataFrame(rows).T)
    assert labels_of(Graph.from_networkx(named, y=label.loc[list(named)])) == labels_of(found)
    # Nodes without names are known by their numbers; labels may be missing, features may not.
    graph = Graph(EDGES, {3: [4], 2: [3], 1: [2], 0: [1]}, {3: "b", 0: "a"})
    assert labels_of(graph) == [0, -1, -1, 1] and graph.x.tolist() == [[1], [2], [3], [4]] and graph.num_nodes == 4
    with pytest.raises(ValueError, match=r"invalid `y`: a mapping with the key 7 \(need keys that are nodes of the graph, 4 in all\)"):
        Graph(EDGES, y={7: 1})
    with pytest.raises(ValueError, match="invalid `x`: a mapping without features of node 2"):
        Graph(EDGES, {0: [1], 1: [1], 3: [1]})
    with pytest.raises(ValueError, match="rows of different lengths, from 1 to 2"):
        Graph(EDGES, {0: [1], 1: [1], 2: [1, 2], 3: [1]})


def test_a_list_of_pairs_is_a_list_of_edges() -> None:
    for edges in ([(0, 1), (2, 3)], ((0, 1), (2, 3)), [(0, 1), (2, 3), (3, 2)], [[0, 1], [2, 3], [3, 2]], [(np.int64(0), 1), (2, 3)]):
        same(Graph.of(edges), ([0, 2], [1, 3]))
        same(Graph(edges, X), ([0, 2], [1, 3]))
    same(Graph.of([(0, 1)]), ([0], [1]))
    # Two sequences are sources and targets, whatever their kind.
    same(Graph(((0, 1, 2), (1, 2, 3))))
    same(Graph.of((np.array([0, 1]), np.array([1, 2]))), ([0, 1], [1, 2]))


@pytest.mark.parametrize("index", [np.array([[0, 1], [2, 3]]), [[0, 1], [2, 3]], ([0, 1], [2, 3])], ids=["array", "list", "rows"])
def test_two_rows_of_two_say_how_they_are_read(index: Any) -> None:
    with pytest.warns(UserWarning, match=r"sources \[0, 1\] and targets \[2, 3\]: the edges are \(0, 2\) and \(1, 3\)") as caught:
        same(Graph.of(index), ([0, 1], [2, 3]))
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_two_rows_of_two_that_mean_the_same_both_ways() -> None:
    same(Graph.of(np.array([[0, 1], [1, 0]])), ([0], [1]))
    same(Graph([[0, 1], [1, 2]]), ([0, 1], [1, 2]))


def test_labels_of_minus_one_and_one_are_refused() -> None:
    for y in ([-1, 1, 1, -1], np.array([1.0, -1.0, float("nan"), 1.0]), np.array([-1, 1, 1, 1], np.int8), [1, None, -1, 1]):
        with pytest.raises(ValueError, match=r"-1 stands for an unknown class.*\(y > 0\).astype\(int\)"):
            Graph(EDGES, y=y)
    for other in ([-1, 1, 0, 1], [1, 1, 1, 1], [-1, -1, -1, -1], ["-1", "1", "1", "1"]):
        Graph(EDGES, y=other)
    # Labels that were found, not given, are left out: links do not need them.
    networkx = pytest.importorskip("networkx")
    signed = networkx.path_graph(4)
    networkx.set_node_attributes(signed, {node: {"label": (-1) ** node} for node in signed})
    with pytest.warns(UserWarning, match="labels of graph are left out: .*unknown class"):
        assert Graph.of(signed).y is None


def test_features_that_are_handed_out_cannot_be_written_to(demo: Graph) -> None:
    for graph in (Graph(EDGES, X.copy()), Graph(EDGES, X.astype(np.float64)), Graph._of_native(Graph(EDGES, X.copy())._native)):
        with pytest.raises(ValueError, match="read-only"):
            graph.x[0, 0] = np.nan
        with pytest.raises(ValueError, match="WRITEABLE"):
            graph.x.flags.writeable = True
    assert Graph(EDGES, np.zeros((4, 0), np.float32)).num_features == 0


def test_features_that_were_changed_afterwards_are_checked_again(demo: Graph, tmp_path: Path) -> None:
    x = np.random.default_rng(0).random((1200, 20), dtype=np.float32)
    graph = Graph(demo.edge_index, x, demo.y)
    model = netinfof.NodeClassifier(dim=8).fit(graph)
    x[7, 3] = np.inf
    again = Graph(demo.edge_index, np.ones((1200, 20), np.float32), demo.y)
    for work in (
        lambda: netinfof.probe(graph, dim=8),
        lambda: netinfof.act(graph, task="nodes", dim=8),
        lambda: netinfof.NetInfoFEmbedding(dim=8).fit(graph),
        lambda: netinfof.link_split(graph, negatives="heart"),
        lambda: netinfof.NodeClassifier(dim=8).fit(again).predict(graph),
        lambda: graph.save(tmp_path / "graph.npz"),
    ):
        with pytest.raises(ValueError, match="feature of node 7, column 3 is infinite; the array `x` was changed after the graph was made"):
            work()
    assert model.predict().shape == (1200,)


def test_ids_that_are_no_positions_are_named() -> None:
    large = 10**12
    with pytest.raises(ValueError, match=r"largest node number is 1000000000000, too large for 2 edges; .* positions .*from_frame"):
        Graph([(large, 2), (1, 3)])
    with pytest.raises(ValueError, match=r"largest node number is 1000000000000, too large for 1 edge; "):
        Graph.of(Bag(edge_index=np.array([[large], [2]]), num_nodes=large + 1))
    with pytest.raises(ValueError, match=r"edge 0 is \(1000000000000, 2\), but node numbers are positions from 0 to 3"):
        Graph([[large, 1, 1], [2, 3, 2]], X)
    with pytest.raises(ValueError, match="holds node numbers, not <U1 .*from_frame"):
        Graph.of([("a", "b"), ("b", "c")])
    pandas = pytest.importorskip("pandas")
    edges = [(large, large + 7), (large + 7, 3)]
    found = Graph.from_frame(pandas.DataFrame(edges, columns=["source", "target"]))
    assert found.nodes.tolist() == [3, large, large + 7] and found.num_edges == 2


class Bag:
    """An object with these attributes and nothing else."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def test_what_edges_have_besides_their_ends_is_named() -> None:
    """One warning, at the line of the caller, for everything that a graph does not keep."""
    both = np.concatenate([EDGES[:, :3], EDGES[::-1, :3]], axis=1)
    told: list[tuple[str, Any]] = [
        ("edge weights (`edge_weight`)", Bag(edge_index=both, edge_weight=np.ones(6))),
        ("edge attributes (`edge_attr`, `edge_time`)", Bag(edge_index=both, edge_attr=np.ones((6, 2)), edge_time=np.arange(6), edge_label=np.ones(3))),
        ("edge directions", Bag(edge_index=np.array([[0, 2, 3], [1, 1, 2]]), edge_attr=None)),
        ("edge weights (`weight`) and edge directions", dgl_graph(np.array([[0, 2, 3], [1, 1, 2]]), weight=np.ones(3), _ID=np.arange(3))),
    ]
    sparse = pytest.importorskip("scipy.sparse")
    square = sparse.coo_matrix((np.full(6, 2.0), (both[0], both[1])), shape=(4, 4))
    told += [
        ("edge weights (values of the matrix other than 0 and 1)", square),
        ("edge directions (the matrix is not symmetric)", sparse.eye(4, k=1)),
    ]
    networkx = pytest.importorskip("networkx")
    multiple = networkx.MultiGraph([(0, 1), (1, 0), (1, 2)])
    weighted = networkx.DiGraph([(0, 1), (1, 2)])
    weighted.add_edge(2, 3, weight=2.0, time=5)
    told += [
        ("edge directions", networkx.DiGraph([(0, 1), (1, 2)])),
        ("counts of parallel edges", multiple),
        ("edge directions and edge attributes (`weight`, `time`)", weighted),
    ]
    igraph = pytest.importorskip("igraph")
    arrows = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], directed=True)
    arrows.es["weight"] = [1.0, 2.0]
    told.append(("edge directions and edge weights (`weight`)", arrows))
    for library in ("pandas", "polars"):
        frames = pytest.importorskip(library)
        told.append(("edge attributes (`time`, `note`)", frames.DataFrame({"u": [0, 1], "time": [1, 2], "v": [1, 2], "note": ["a", "b"]})))
    for words, data in told:
        with pytest.warns(UserWarning) as caught:
            Graph.of(data)
        assert [str(warning.message) for warning in caught] == [f"{words} are not used: the graph is treated as undirected and unweighted"]
        assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="edge weights") as caught:
        netinfof.link_split(Bag(edge_index=np.concatenate([demo_edges(), demo_edges()[::-1]], axis=1), edge_weight=np.ones(8046)))
    assert caught[0].filename == __file__


def demo_edges() -> Any:
    return Graph.of("synth:demo").edge_index


def dgl_graph(index: Any, **edata: Any) -> Any:
    """What DGL's graphs look like from outside."""
    count = int(index.max()) + 1
    return Bag(ndata={}, edata=edata, num_nodes=lambda: count, edges=lambda: (index[0], index[1]), ntypes=["_N"], etypes=["_E"])


@pytest.mark.filterwarnings("error")
def test_edges_that_are_ends_alone_are_taken_in_silence() -> None:
    both = np.concatenate([EDGES, EDGES[::-1]], axis=1)
    for data in (EDGES, both, Bag(edge_index=both), Bag(edge_index=EDGES, edge_weight=None), dgl_graph(both)):
        Graph.of(data)
    sparse, networkx, pandas = (pytest.importorskip(name) for name in ("scipy.sparse", "networkx", "pandas"))
    for data in (
        sparse.coo_matrix((np.ones(8), (both[0], both[1])), shape=(4, 4)),
        networkx.path_graph(4),
        networkx.path_graph(4).to_directed(),
        Bag(edge_index=np.concatenate([both, both[:, :2]], axis=1)),
        pandas.DataFrame({"u": [0, 1], "v": [1, 2]}),
    ):
        Graph.of(data)


@pytest.mark.parametrize("columns", [("source", "target"), ("user", "item")])
def test_texts_are_numbered_in_the_order_in_which_they_first_occur(columns: tuple[str, str]) -> None:
    pandas = pytest.importorskip("pandas")
    # More than one block of rows, and texts of any length.
    codes = np.random.default_rng(0).integers(0, 3000, (70_000, 2))
    texts = np.array([f"{'ü' * (at % 5)}{at}" for at in range(3000)], object)
    rows = texts[codes]
    edges = pandas.DataFrame({columns[0]: rows[:, 0], columns[1]: rows[:, 1]})
    if columns[0] == "source":
        expected = list(dict.fromkeys(rows.reshape(-1).tolist()))
    else:
        expected = [f"{name}:{text}" for name, own in zip(columns, rows.T) for text in dict.fromkeys(own.tolist())]
    found = Graph.from_frame(edges)
    assert found.nodes.tolist() == expected
    ends = {frozenset(pair) for pair in found.nodes[found.edge_index.T].tolist()}
    named = rows.tolist() if columns[0] == "source" else [[f"user:{a}", f"item:{b}"] for a, b in rows.tolist()]
    assert ends == {frozenset(pair) for pair in named if pair[0] != pair[1]}
    nodes = pandas.DataFrame({"id": texts[::-1]})
    assert Graph.from_frame(edges, nodes, bipartite=False).nodes.tolist() == texts[::-1].tolist()


def test_gaps_are_gaps_of_every_kind() -> None:
    pandas = pytest.importorskip("pandas")
    times = pandas.to_datetime(["2020-01-01", "2021-01-01"])
    found = Graph.from_frame(pandas.DataFrame({"source": times, "target": times[::-1]}))
    assert found.num_nodes == 2 and str(found.nodes[0]).startswith("2020")
    for column in (pandas.to_datetime(["2020-01-01", None]), pandas.array(["a", None], dtype="string"), [1.0, None], ["a", float("nan")]):
        with pytest.raises(ValueError, match="row 1 of the edge frame has no id"):
            Graph.from_frame(pandas.DataFrame({"source": column, "target": ["b", "c"]}))
    edges = pandas.DataFrame({"source": ["a"], "target": ["b"]})
    with pytest.raises(ValueError, match="row 2 of the node frame has no id"):
        Graph.from_frame(edges, pandas.DataFrame({"id": ["a", "b", None], "f": [1, 2, 3]}))
    labels = pandas.DataFrame({"id": ["a", "b"], "label": pandas.array(["q", None], dtype="string")})
    assert Graph.from_frame(edges, labels).y.tolist() == [0, -1]  # type: ignore[union-attr]
    # Names of columns may be numbers; ids may be tuples; a name stands once.
    assert Graph.from_frame(pandas.DataFrame([[0, 1], [1, 2]])).num_edges == 2
    tuples = pandas.DataFrame({"source": [(0, 0), (0, 1)], "target": [(0, 1), (1, 1)]})
    assert Graph.from_frame(tuples).nodes.tolist() == [(0, 0), (0, 1), (1, 1)]
    with pytest.raises(ValueError, match="2 columns of the frame have this name"):
        Graph.from_frame(pandas.DataFrame([["a", "b", "c"]], columns=["source", "source", "target"]))
    with pytest.raises(ValueError, match="a masked array with masked values"):
        Graph(EDGES, np.ma.masked_less(X, 3))


def test_labels_that_are_no_classes_do_not_stand_in_the_way() -> None:
    networkx = pytest.importorskip("networkx")
    streets = networkx.path_graph(30)
    networkx.set_node_attributes(streets, {node: {"x": node * 0.1, "y": node * 0.37} for node in streets})
    with pytest.warns(UserWarning, match="labels of graph are left out: Unknown label type: continuous"):
        found = Graph.of(streets)
    assert found.y is None and found.x is None
    assert Graph.from_networkx(streets, label=False, features=["x", "y"]).num_features == 2
    assert Graph.from_networkx(streets, label="y").target == "numbers"


def test_pickles(demo: Graph) -> None:
    for graph in (demo, Graph(EDGES, X, ["b", None, "a", "b"], nodes=["p", ("q", 1), 3, 4.5], name="odd")):
        again = pickle.loads(pickle.dumps(graph))
        assert np.array_equal(again.edge_index, graph.edge_index) and again.y.tolist() == graph.y.tolist()  # type: ignore[union-attr]
        assert again.nodes.tolist() == graph.nodes.tolist() and again.classes.tolist() == graph.classes.tolist()
        one, two = (g.x.todense() if hasattr(g.x, "todense") else g.x for g in (graph, again))
        assert np.array_equal(one, two) and again.name == graph.name


def test_pickles_keep_the_numbers_of_classes(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\nb,c\n")
    (tmp_path / "n.csv").write_text("id,label\na,5\nb,nine\nc,10\n")
    graph = Graph.from_file(tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    again = pickle.loads(pickle.dumps(graph))
    assert again.classes.tolist() == graph.classes.tolist() and again.y.tolist() == graph.y.tolist()  # type: ignore[union-attr]


def test_sides_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    edges = pandas.DataFrame({"user_id": [5, 5, 6], "item": [5, 7, 5]})
    graph = netinfof.Graph.from_frame(edges)
    assert graph.nodes.tolist() == ["user:5", "user:6", "item:5", "item:7"] and graph.num_edges == 3
    assert graph.sides is not None and graph.sides.tolist() == [0, 0, 1, 1] and graph.side_names == ("user", "item")
    one = netinfof.Graph.from_frame(edges, bipartite=False)
    assert one.nodes.tolist() == [5, 6, 7] and one.sides is None
    # Without an id on both sides, nodes keep their ids; of nodes without edges the side is unknown.
    apart = pandas.DataFrame({"user": [1, 2, 2], "item": [10, 10, 11]})
    assert netinfof.Graph.from_frame(apart).nodes.tolist() == [1, 2, 10, 11]
    rows = pandas.DataFrame({"id": [11, 10, 2, 1], "x": [0.5, 1.5, 2.5, 3.5]})
    graph = netinfof.Graph.from_frame(apart, rows)
    assert graph.nodes.tolist() == [11, 10, 2, 1] and graph.sides is not None and graph.sides.tolist() == [1, 1, 0, 0]
    more = pandas.concat([rows, pandas.DataFrame({"id": [99], "x": [9.0]})])
    assert netinfof.Graph.from_frame(apart, more).sides is None
    other = apart.set_axis(["a", "b"], axis=1)
    assert netinfof.Graph.from_frame(other).sides is None
    stated = netinfof.Graph.from_frame(other, bipartite=True)
    assert stated.sides is not None and stated.sides.tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="such as `user:5`"):
        netinfof.Graph.from_frame(edges, pandas.DataFrame({"id": [5, 6, 7], "x": [1.0, 2.0, 3.0]}))


def test_sides_of_a_bipartite_graph() -> None:
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 60, 600), rng.integers(0, 30, 600)
    graph = netinfof.Graph([users, items + 60], num_nodes=90, sides=[0] * 60 + [1] * 30)
    assert graph.sides is not None and graph.sides.sum() == 30 and graph.side_names == ("user", "item")
    again = pickle.loads(pickle.dumps(graph))
    assert again.sides.tolist() == graph.sides.tolist()
    with pytest.raises(ValueError, match="lies inside the side `user`"):
        netinfof.Graph([[0, 0], [1, 2]], sides=[0, 0, 1])
    with pytest.raises(ValueError, match="a 0 or a 1 for each of 3 nodes"):
        netinfof.Graph([[0, 0], [1, 2]], sides=[0, 1])
    with pytest.raises(ValueError, match="odd length"):
        netinfof.Graph([[0, 1, 2], [1, 2, 0]], bipartite=True)
    assert netinfof.Graph([[0, 1], [2, 3]], bipartite=True).sides is not None
    # Chance: no signal across the sides, whatever the structure says.
    result = netinfof.probe(graph, dim=16)
    assert result.verdict.kind in ("nothing", "undecided") and result.data["graph"]["sides"]["nodes"] == [60, 30]
    assert "sides" not in netinfof.probe(netinfof.Graph(graph.edge_index, bipartite=False), dim=16).data["graph"]


def test_a_ranking_is_evaluated() -> None:
    rng = np.random.default_rng(1)
    users, items = rng.integers(0, 120, 4000), rng.integers(0, 60, 4000)
    kept = users % 3 == items % 3
    pairs = np.unique(np.stack([users[kept], items[kept] + 120], axis=1), axis=0)
    rng.shuffle(pairs)
    train, test = pairs[:-60], pairs[-60:]
    graph = netinfof.Graph(train.T, num_nodes=180, sides=[0] * 120 + [1] * 60)
    model = netinfof.act(graph, dim=16).model
    assert model is not None
    found = model.evaluate(test, k=20)
    assert found["edges"] == 60 and found["recall"] > 0.6
    top = model.recommend([0], k=5)
    assert all(partner >= 120 for partner in top["partner"])
    with pytest.raises(ValueError, match="edges that the model sees"):
        model.evaluate(train, k=20)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_and_files_give_the_same_graph(library: str, tmp_path: Path) -> None:
    frames = pytest.importorskip(library)
    count = 40
    edges = {"source": list(range(count)), "target": [(at + 1) % count for at in range(count)]}
    nodes = {
        "": list(range(count)),
        "id": list(range(count)),
        "age": [at * 37 % 11 + 0.1 for at in range(count)],
        "member": [at % 3 == 0 for at in range(count)],
        "town": [["Rome", "Bern", None][at * at % 3] for at in range(count)],
        "since": [f"2020-01-{1 + at % 28:02}" for at in range(count)],
        "nick": [f"n{at}" for at in range(count)],
        "copy": [5 * (at % 2) for at in range(count)],
        "label": [f"c{at % 2}" for at in range(count)],
    }
    for name, columns in (("e", edges), ("n", nodes)):
        rows = [",".join("" if value is None else str(value) for value in row) for row in zip(*columns.values())]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    with pytest.warns(UserWarning):
        expected = Graph.from_file(tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    found = Graph.from_frame(frames.DataFrame(edges), frames.DataFrame(nodes))
    same(found, (expected.edge_index[0].tolist(), expected.edge_index[1].tolist()))
    assert found.x.tobytes() == expected.x.tobytes()
    assert found.y.tolist() == expected.y.tolist() and found.classes.tolist() == expected.classes.tolist()  # type: ignore[union-attr]
    assert found.schema is not None and expected.schema is not None
    assert found.schema["columns"] == expected.schema["columns"] and found.schema["dropped"] == expected.schema["dropped"]
    assert [column["kind"] for column in found.schema["columns"]] == ["number", "boolean", "category", "date", "number"]
    assert [part["name"] for part in found.schema["dropped"]] == ["", "nick"]
    # Newer rows are read like those of the first graph.
    newer = {"id": [0, 1], "since": ["2020-03-01", "2020-03-02"], "town": ["Rome", "Rome"], "age": [1.0, 2.0], "member": [True, True]}
    again = Graph.from_frame(frames.DataFrame({"source": [0], "target": [1]}), frames.DataFrame(newer), like=found)
    assert again.schema is not None and next(c for c in again.schema["columns"] if c["name"] == "town")["levels"] == ["Bern", "Rome"]
    chosen = Graph.from_frame(frames.DataFrame(edges), frames.DataFrame(nodes), features="a*", categorical="age")
    assert chosen.num_features == 1 and len(chosen.schema["columns"][0]["levels"]) == 11  # type: ignore[index]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_every_kind_give_the_same_graph_and_model(library: str, tmp_path: Path) -> None:
    """As CSV, as Parquet and as a frame, with types of the frame and missing values."""
    frames = pytest.importorskip(library)
    if library == "pandas":
        pytest.importorskip("pyarrow")
    count = 120
    day = datetime.datetime(2020, 1, 1)

    def gap(at: int, value: Any) -> Any:
        return None if at % 7 == 3 else value

    nodes: dict[str, list[Any]] = {
        "id": [f"p{at}" for at in range(count)],
        "amount": [at * 37 % 101 / 7 for at in range(count)],
        "score": [gap(at, at * 53 % 89 / 3) for at in range(count)],
        "visits": [at * 11 % 17 for at in range(count)],
        "children": [gap(at, at * 5 % 4) for at in range(count)],
        "member": [at % 3 == 0 for at in range(count)],
        "smoker": [gap(at, at % 2 == 0) for at in range(count)],
        "town": [["Rome", "Bern", "Oslo"][at * 7 % 3] for at in range(count)],
        "work": [gap(at, ["a b", "none of these", "Ä", "7"][at * 5 % 4]) for at in range(count)],
        "area": [f"r{at * at % 45}" for at in range(count)],
        "since": [day + datetime.timedelta(days=at * 3) for at in range(count)],
        "seen": [gap(at, day + datetime.timedelta(days=at, hours=at % 24)) for at in range(count)],
        "empty": [None] * count,
        "code": [-999 if at % 9 == 0 else at % 5 for at in range(count)],
        "label": [["no", "yes"][(at % 3 == 0) ^ (at % 11 == 0)] for at in range(count)],
    }
    edges = {"source": [f"p{at}" for at in range(count)] * 2, "target": [f"p{(at * step + 1) % count}" for step in (1, 7) for at in range(count)]}
    frame, list_ = frames.DataFrame(nodes), frames.DataFrame(edges)
    if library == "pandas":
        frame = frame.astype({"children": "Int64", "smoker": "boolean", "town": "category"})
        frame.to_csv(tmp_path / "n.csv", index=False)
        list_.to_csv(tmp_path / "e.csv", index=False)
        frame.to_parquet(tmp_path / "n.parquet", index=False)
        list_.to_parquet(tmp_path / "e.parquet", index=False)
    else:
        frame = frame.with_columns(frames.col("town").cast(frames.Categorical))
        frame.write_csv(tmp_path / "n.csv")
        list_.write_csv(tmp_path / "e.csv")
        frame.write_parquet(tmp_path / "n.parquet")
        list_.write_parquet(tmp_path / "e.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graphs = [Graph.from_frame(list_, frame), *(Graph.from_file(tmp_path / f"e.{end}", nodes=tmp_path / f"n.{end}") for end in ("csv", "parquet"))]
        models = [netinfof.act(graph, task="nodes", shares=(0.4, 0.3), splits=1, dim=8).model for graph in graphs]
    first = graphs[0]
    assert first.schema is not None
    kinds = ["number"] * 4 + ["boolean"] * 2 + ["category"] * 3 + ["date"] * 2 + ["boolean", "number"]
    assert [column["kind"] for column in first.schema["columns"]] == kinds
    for graph, model in zip(graphs[1:], models[1:]):
        assert graph.edge_index.tolist() == first.edge_index.tolist() and graph.nodes.tolist() == first.nodes.tolist()
        assert graph.x.tobytes() == first.x.tobytes() and graph.y.tolist() == first.y.tolist()  # type: ignore[union-attr]
        assert graph.schema is not None and graph.schema["columns"] == first.schema["columns"]
        assert model.node_probabilities().tobytes() == models[0].node_probabilities().tobytes()  # type: ignore[union-attr]


def test_a_numeric_target_is_no_class() -> None:
    pandas = pytest.importorskip("pandas")
    edges = pandas.DataFrame({"source": range(60), "target": [(at + 1) % 60 for at in range(60)]})
    nodes = pandas.DataFrame({"id": range(60), "x": [at % 7 for at in range(60)], "target": [at * at for at in range(60)]})
    with pytest.warns(UserWarning, match="the target is numeric"):
        found = Graph.from_frame(edges, nodes)
    assert found.target == "numbers" and found.num_features == 1
    assert found.y is not None and found.y.tolist() == [at * at for at in range(60)]
    nodes["target"] = [1 if at % 3 else -1 for at in range(60)]
    assert Graph.from_frame(edges, nodes).classes.tolist() == [-1, 1]


LOG = [[0, 1, 1, 2, 3], [1, 2, 0, 3, 0]]
DAYS = ["2020-01-05", "2020-02-01T06:00", "2020-01-02", "2020-03-01", "2020-03-02"]


@pytest.mark.parametrize(
    "times",
    [
        [5, 7, 3, 9, 11],
        np.array([5.0, 7.0, 3.0, 9.0, 11.0]),
        np.array([[5], [7], [3], [9], [11]]),
        np.array(DAYS, dtype="datetime64[s]"),
        DAYS,
        [datetime.datetime.fromisoformat(day) for day in DAYS],
    ],
)
def test_edge_times(times: Any) -> None:
    graph = netinfof.Graph(LOG, edge_time=times)
    # By edge: (0, 1) has two contacts, of which the first counts; (0, 3), (1, 2), (2, 3).
    expected = np.array([3, 11, 7, 9])
    assert graph.edge_time is not None
    if graph.edge_time.dtype.kind == "M":
        expected = np.array([DAYS[at] for at in (2, 4, 1, 3)], dtype="datetime64[us]")
    assert graph.edge_index.tolist() == [[0, 0, 1, 2], [1, 3, 2, 3]]
    assert np.array_equal(graph.edge_time, expected)
    again = pickle.loads(pickle.dumps(graph))
    assert again.edge_time is not None and np.array_equal(again.edge_time, graph.edge_time)
    assert netinfof.Graph(LOG).edge_time is None


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([1, 2], "need one time per edge"),
        ([1, None, 3, 4, 5], "edge 1 has no time"),
        (["2020-01-01", "soon", "2020-01-01", "2020-01-01", "2020-01-01"], "'soon' of edge 1 is not a time"),
        ([1.0, float("nan"), 3, 4, 5], "is missing"),
        ([True, False, True, False, True], "need numbers or dates"),
    ],
)
def test_bad_edge_times_are_named(times: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        netinfof.Graph(LOG, edge_time=times)


def test_a_graph_with_times_is_split_by_time() -> None:
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 60, (2, 600))
    kept = source != target
    source, target = source[kept], target[kept]
    when = np.arange(len(source))
    for graph in (
        netinfof.Graph((source, target), edge_time=when),
        netinfof.Graph.of({"edge_index": np.stack([source, target]), "edge_time": when}),
    ):
        order = netinfof.probe(graph).data["splits"][0]["time"]
        assert order["periods"][0][1] < order["periods"][1][0] and order["periods"][1][1] < order["periods"][2][0]
