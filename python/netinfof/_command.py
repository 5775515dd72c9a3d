"""The command ``netinfof`` that the wheel installs."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Run the command with the arguments of this process.

    Returns
    -------
    int
        The exit status.
    """
    return _native.main(["netinfof", *sys.argv[1:]])
