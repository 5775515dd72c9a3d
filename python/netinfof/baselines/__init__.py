"""Graph neural networks and other baselines, trained on the splits that :func:`netinfof.act` uses.

It needs PyTorch and PyTorch Geometric: ``pip install 'netinfof[baselines]'``. Results can be read and compared
without them.

Examples
--------
>>> from netinfof import baselines
>>> list(baselines.MODELS["nodes"])
['mlp', 'label-propagation', 'gcn', 'sage', 'gat', 'appnp', 'gpr', 'h2gcn', 'linkx', 'gcn-skip']
"""

from __future__ import annotations

from ._models import MODELS, Model
from ._result import Baselines
from ._run import run
from ._script import script

__all__ = ["MODELS", "Baselines", "Model", "run", "script"]
