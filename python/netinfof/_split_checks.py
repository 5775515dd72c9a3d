"""Checks of splits."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _native
from ._graph import Graph, GraphLike
from ._options import Task, how, warn
from ._splits import LinkSplit, NodeSplit, SplitLike


@dataclass(frozen=True)
class Finding:
    """A problem of a split.

    Attributes
    ----------
    kind
        Identifier of the problem, such as ``test-in-training``; docs/formats.md lists them.
    what
        Description of the problem.
    count
        Number of cases.
    examples
        Some of the cases.
    """

    kind: str
    what: str
    count: int
    examples: list[str]


@dataclass(frozen=True)
class Checked:
    """The result of a check of a split. It is true if there are no findings.

    Attributes
    ----------
    findings
        Problems that were found.
    checks
        Checks that were made.
    skipped
        Checks that could not be made, and why.
    """

    findings: list[Finding]
    checks: list[str]
    skipped: list[str]

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        if not self.findings:
            return f"no problems found ({len(self.checks)} checks)"
        return "\n".join(f"{f.kind}: {f.what}, such as {', '.join(f.examples)}" if f.examples else f"{f.kind}: {f.what}" for f in self.findings)


def check_split(
    data: GraphLike, split: SplitLike | Mapping[str, Any], *, task: Task | None = None, n_jobs: int | None = None
) -> Checked:
    """Check a split for leaks, overlaps, unsuitable negatives and features that hold the answer.

    Parameters
    ----------
    data
        The whole graph, in any form that :meth:`Graph.of` accepts.
    split
        A :class:`LinkSplit`, a :class:`NodeSplit`, ``"masks"`` for the masks of the graph, the path of a
        file, or a mapping with the arguments of :class:`LinkSplit`.
    task
        Task of a split in a file: ``links`` or ``nodes``. None: nodes if the file holds masks.
    n_jobs
        Number of threads; results do not depend on it. None and -1: one per core.

    Returns
    -------
    Checked
        The findings.

    Examples
    --------
    >>> import netinfof
    >>> split = netinfof.link_split("synth:demo")
    >>> split.train[0] = split.test[0]
    >>> [finding.kind for finding in netinfof.check_split("synth:demo", split).findings]
    ['test-in-training']
    """
    graph = Graph.of(data)
    if isinstance(split, Mapping):
        split = LinkSplit(**split)
    if task is None:
        task = "nodes" if isinstance(split, NodeSplit) or split == "masks" or _holds_masks(split) else "links"
    own = own_split(split, graph, task)
    told = json.loads(_native.check_split(graph._native, own, how(n_jobs, None)))
    return Checked([Finding(**finding) for finding in told["findings"]], told["checks"], told["skipped"])


def own_split(split: Any, graph: Graph, task: str) -> list[Any]:
    """Return the arrays of a split that the user supplied."""
    if isinstance(split, LinkSplit):
        split._shared()
        _warn_of_unknown_nodes(split, graph)
    if isinstance(split, (LinkSplit, NodeSplit)):
        return split._native()
    if isinstance(split, str) and split == "masks":
        masks = graph.masks
        if masks is None:
            raise ValueError("invalid `split`: masks (the graph has no train_mask, val_mask and test_mask)")
        return NodeSplit.from_masks(masks["train"], masks["val"], masks["test"])._native()
    if isinstance(split, (str, os.PathLike)):
        return _native.load_split(graph._native, os.fspath(split), task == "nodes")
    raise TypeError(f"cannot read a split from {type(split).__qualname__} (need a LinkSplit, a NodeSplit, 'masks', or a file)")


def _holds_masks(path: Any) -> bool:
    import zipfile

    if not isinstance(path, (str, os.PathLike)) or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as file:
        return "train_mask.npy" in file.namelist()


def _warn_of_unknown_nodes(split: LinkSplit, graph: Graph) -> None:
    """Warn about training edges that the graph does not have: usually names were taken for node numbers."""
    import numpy as np

    def keys(ends: Any) -> Any:
        return np.minimum(*ends) * graph.num_nodes + np.maximum(*ends)

    train = split.train.T
    strange = int((~np.isin(keys(train), keys(graph.edge_index))).sum())
    if strange:
        text = f"{strange} of {len(split.train)} training edges {'is' if strange == 1 else 'are'} not in the graph; splits hold node numbers (`graph.numbers_of` converts names)"
        warn(text)
