"""What several tests share."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import netinfof


@pytest.fixture(scope="session")
def demo() -> netinfof.Graph:
    """The built-in graph."""
    return netinfof.Graph.of("synth:demo")


@pytest.fixture(scope="session")
def command() -> str:
    """The command that the wheel installed."""
    beside = Path(sys.executable).with_name("netinfof")
    found = str(beside) if beside.exists() else shutil.which("netinfof")
    if found is None:
        pytest.skip("the command is not installed here")
    return found


@pytest.fixture(scope="session")
def data() -> Path:
    """The real graphs, where there are any."""
    folder = Path(os.environ.get("NETINFOF_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.exists():
        pytest.skip(f"no real graphs: there is no {folder}; set NETINFOF_DATA")
    return folder
