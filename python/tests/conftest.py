"""What several tests share."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import netinfof


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark of tests that only `./scripts/check full` runs."""
    config.addinivalue_line("markers", "slow: runs only in ./scripts/check full")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skips slow tests, unless `./scripts/check full` or a `-m` of the caller asks for them."""
    if os.environ.get("NETINFOF_CHECK_FULL", "true") == "true" or config.getoption("-m"):
        return
    skip = pytest.mark.skip(reason="slow: ./scripts/check full runs it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


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
    """The folder with the real graphs. Without it tests are skipped; in CI they fail, so that they cannot stop running unnoticed."""
    folder = Path(os.environ.get("NETINFOF_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not (folder / "cora.npz").exists():
        missing = f"no real graphs in {folder}; set NETINFOF_DATA"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return folder
