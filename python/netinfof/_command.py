"""The command `netinfof`, as the wheel carries it."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the command with the words of this process and returns its exit status."""
    return _native.main(["netinfof", *sys.argv[1:]])
