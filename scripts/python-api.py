"""Writes the reference of the Python package from its docstrings: python scripts/python-api.py > docs/python-api.md"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from operator import attrgetter
from typing import Any

import netinfof
import netinfof.baselines

PARTS = {
    "Ask": ["probe", "act", "Result", "Verdict", "Tested", "Table", "Options"],
    "Graphs": ["Graph"],
    "Estimators": ["LinkProbe", "NodeProbe", "LinkPredictor", "NodeClassifier", "NodeRegressor", "NetInfoFEmbedding"],
    "Models": ["Model"],
    "Splits": ["link_split", "node_split", "check_split", "LinkSplit", "NodeSplit", "Checked", "Finding"],
    "Baselines: netinfof.baselines": ["baselines.run", "baselines.script", "baselines.Baselines", "baselines.Model"],
    "Metrics": ["hits_at_k", "mrr", "auc", "average_precision", "information_score"],
}


def signature(name: str, thing: Any) -> str:
    """A signature as one would write it; types as they stand in the source."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    shown = []
    star = False
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        prefix = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        kind = "" if parameter.annotation is parameter.empty else f": {written(parameter.annotation)}"
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{prefix}{parameter.name}{kind}{default}")
    back = "" if found.return_annotation is found.empty or inspect.isclass(thing) else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(shown)}){back}"
    return line if len(line) <= 120 else f"{name}(\n    " + ",\n    ".join(shown) + f",\n){back}"


def written(annotation: Any) -> str:
    """A type as it stands in the source."""
    return str(getattr(annotation, "__forward_arg__", annotation))


def prose(doc: str | None) -> str:
    """A docstring as Markdown: roles as code, examples as blocks, parameters as a list."""
    text = inspect.cleandoc(doc or "")
    text = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", text).replace("``", "`")
    lines, out, example = text.split("\n"), [], False
    for at, line in enumerate(lines):
        follows = lines[at + 1] if at + 1 < len(lines) else ""
        if set(follows) == {"-"}:
            out.append(f"**{line}**")
            out.append("")
            continue
        if line and set(line) == {"-"}:
            continue
        if line.startswith(">>>") and not example:
            out.append("```pycon")
            example = True
        if example and not line.strip():
            out.append("```")
            example = False
        out.append(line)
    if example:
        out.append("```")
    text = "\n".join(out)
    # A parameter and what is said of it.
    return re.sub(r"^(\w+)\n    (.+(?:\n    .+)*)", lambda m: f"- `{m[1]}`: " + re.sub(r"\n\s+", " ", m[2]), text, flags=re.MULTILINE)


def remarks(thing: Any) -> dict[str, str]:
    """What `#:` comments in the source say of attributes."""
    found: dict[str, str] = {}
    owners = [base for base in thing.__mro__ if base.__module__.startswith("netinfof")] or [thing]
    for owner in reversed(owners):
        source = textwrap.dedent(inspect.getsource(owner))
        for match in re.finditer(r"#: (.+)\n\s+(?:self\.)?(\w+)(?::| =)", source):
            found[match[2]] = match[1]
    return found


def members(thing: Any) -> list[str]:
    """Public methods and properties in the order of the source, bases first."""
    names: dict[str, None] = {}
    for owner in reversed([base for base in thing.__mro__ if base.__module__.startswith("netinfof")]):
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        assert isinstance(body, ast.ClassDef)
        names.update(dict.fromkeys(node.name for node in body.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")))
    return list(names)


def entry(name: str, thing: Any) -> str:
    """A function, or a class with all it has."""
    out = [f"### {name}", "", f"```python\n{signature(name, thing)}\n```", "", prose(thing.__doc__)]
    if not inspect.isclass(thing):
        return "\n".join(out)
    attributes = remarks(thing)
    if name == "Options":
        told = ((key, written(kind).removesuffix(" | None"), prose(attributes[key])) for key, kind in thing.__annotations__.items())
        return "\n".join([f"### {name}", "", prose(thing.__doc__), "", *(f"- `{key}: {kind}`: {text}" for key, kind, text in told)])
    if attributes:
        out += ["", *(f"- `{key}`: {prose(told)}" for key, told in attributes.items())]
    for member in members(thing):
        found = inspect.getattr_static(thing, member)
        if isinstance(found, property):
            out += ["", f"#### {name}.{member}", "", prose(found.__doc__)]
            continue
        own = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        out += ["", f"#### {name}.{member}", "", f"```python\n{signature(f'{name}.{member}', own)}\n```", "", prose(own.__doc__)]
    return "\n".join(out)


def reference() -> str:
    """The whole of it."""
    out = ["# Python reference", "", "Generated from the docstrings by `scripts/python-api.py`; [docs/python.md](python.md) is where to begin."]
    for part, names in PARTS.items():
        out += ["", f"## {part}"]
        for name in names:
            out += ["", entry(name, attrgetter(name)(netinfof))]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
