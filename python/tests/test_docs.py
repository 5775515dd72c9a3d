"""What the documents show is true."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import netinfof
from tour import run

ROOT = Path(__file__).parents[2]


def test_docs_python_md_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    ran, missing = run((ROOT / "docs" / "python.md").read_text(encoding="utf-8"))
    with capsys.disabled():
        if missing:
            print(f"\ndocs/python.md: left out, for want of {', '.join(missing)}")
    assert ran >= 9


def test_the_reference_is_up_to_date() -> None:
    place = ROOT / "scripts" / "python-api.py"
    spec = importlib.util.spec_from_file_location("python_api", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["python_api"] = module
    spec.loader.exec_module(module)
    assert set(module.remarks(netinfof.Options)) == set(netinfof.Options.__annotations__), "an option without a word about it"
    written = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    assert module.reference() == written, "docs/python-api.md is out of date: python scripts/python-api.py > docs/python-api.md"
