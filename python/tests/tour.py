"""Runs the Python of a Markdown file, block after block, in one namespace and in a folder of its own.

    python tour.py docs/python.md ["Five-minute tour"]

With a heading, the blocks below it alone. A block whose first line is `# needs PACKAGE` is left out, with a word, where the package is missing.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any


def blocks(text: str, heading: str | None = None) -> list[str]:
    """The blocks of Python, or those below a heading of the second level."""
    if heading is not None:
        text = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(text: str, heading: str | None = None) -> tuple[int, list[str]]:
    """Runs them; returns how many ran, and which packages were missing."""
    space: dict[str, Any] = {"__name__": "tour"}
    exec("import netinfof", space)
    ran, missing = 0, []
    for block in blocks(text, heading):
        need = re.match(r"# needs (\w+)", block)
        if need:
            try:
                importlib.import_module(need[1])
            except Exception:
                missing.append(need[1])
                continue
        exec(compile(block, "tour", "exec"), space)
        ran += 1
    return ran, missing


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        count, lacking = run(source, *sys.argv[2:])
        os.chdir("/")
    assert count, "no block was run"
    print(f"tour: {count} blocks ran" + (f"; left out, for want of {', '.join(lacking)}" if lacking else ""))
