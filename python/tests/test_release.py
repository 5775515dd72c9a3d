"""What a release consists of agrees: one version, and metadata that stand on their own."""

from __future__ import annotations

import re
from pathlib import Path

import netinfof

ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_one() -> None:
    cargo = read("Cargo.toml")
    found = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"', cargo, re.MULTILINE)
    assert found is not None
    version = found[1]
    # Crates on crates.io depend on each other by version; all other places take it from here.
    of_crates = re.findall(r'^netinfof[\w-]* = \{ path = "[^"]+", version = "([^"]+)"', cargo, re.MULTILINE)
    assert len(of_crates) == 4 and set(of_crates) == {version}
    assert netinfof.__version__ == version
    assert f"\nversion: {version}\n" in read("CITATION.cff")
    assert 'dynamic = ["version"]' in read("pyproject.toml")
    for manifest in (ROOT / "crates").glob("*/Cargo.toml"):
        assert "\nversion.workspace = true\n" in manifest.read_text(encoding="utf-8"), manifest
    changes = read("CHANGELOG.md")
    assert "\n## Unreleased\n" in changes or f"\n## {version}" in changes


def test_the_long_description_stands_on_its_own() -> None:
    """An index of packages shows it without the repository: relative links and pictures would be dead."""
    pyproject = read("pyproject.toml")
    found = re.search(r'^readme = "([^"]+)"', pyproject, re.MULTILINE)
    assert found is not None
    text = read(found[1])
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert all(link.startswith("https://") for link in links), links
    assert "](" not in re.sub(r"\]\(https://[^)]+\)", "", text) and "<img" not in text
    for field in ("description", "authors", "keywords", "classifiers", "license", "requires-python"):
        assert f"\n{field} = " in pyproject, field
    assert "\n[project.urls]\n" in pyproject
