"""Hooks of MkDocs: the tutorial notebooks become pages of the site."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

import tutorials  # noqa: E402


def on_files(files: Any, config: Any) -> Any:
    """Add a page for every notebook."""
    for path in sorted(tutorials.FOLDER.glob("*.ipynb")):
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=tutorials.page(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to notebooks lead to their pages; a page of a notebook links to the notebook itself."""
    if page.file.src_uri.startswith("tutorials/"):
        return markdown
    return re.sub(r"(\]\((?:\.\./)*(?:docs/)?tutorials/[\w-]+)\.ipynb\)", r"\1.md)", markdown)
