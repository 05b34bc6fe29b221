"""Ratchets: what is counted in the house, where each case is, and how far the count may go.

`python -m tests.shape.ratchets` prints the counts, with a name the places; `--write` writes down
what has fallen. Budgets are raised by hand only, with their reason.
"""

import ast
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.shape.house import TRUSTED
from tests.shape.source import ROOT, SRC, modules

HOUSE = SRC / "leeward"
FILE = Path(__file__).with_suffix(".yaml")

LONG_MODULE, LONG_FUNCTION = 300, 40
VAGUE = {"found", "made", "held", "asked", "told"}
"""Names that hide what a statistician would call table, margin or cell."""

MANNERED = {
    "alone for only": r"\balone\b",
    "verbs of speech for facts": r"\b(tells|told|speaks? of|spoken of)\b",
    "people without a name": r"\b(whoever|nobody|somebody|whosoever)\b",
    "old phrases": r"\b(anew|for ever|so many|is none|are none|of its own accord|at birth)\b",
    "things that stand and lie": r"\b(stands?|lies?) (in|on|at|beside|between|below|above|for)\b",
    "holds for contains or is true": r"\bholds\b",
    "pronouns after of": r"\bof (it|them|which)\b",
    "sentences that begin with a preposition": r"(?:^|[.:] )(Of|Where|Beside) [a-z]",
    "he for an operator": r"\b(he|his)\b",
    "look as advice": r"\b[Ll]ook (at|into|for)\b",
    "refusals": r"\b[Rr]efus(e|es|ed|al|als)\b",
}
"""What `docs/mathematics` and the rest of the house say in plain words instead."""

Place = str
Counting = Callable[[], Iterator[Place]]


def long_modules() -> Iterator[Place]:
    for module in modules():
        length = len(module.path.read_text().splitlines())
        if length > LONG_MODULE:
            yield f"{module.name}: {length} lines"


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module.name, node


def long_functions() -> Iterator[Place]:
    for module, function in functions():
        length = (function.end_lineno or 0) - function.lineno + 1
        if length > LONG_FUNCTION:
            yield f"{module}.{function.name}: {length} lines"


def helpers_called_once() -> Iterator[Place]:
    """Private functions with one use in their file, which has all their uses."""
    for module in modules():
        nodes = list(ast.walk(module.tree))
        private = {
            node.name: node.lineno
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name.startswith("_")
            and not node.name.startswith("__")
        }
        uses = Counter(
            name
            for node in nodes
            if (name := getattr(node, "id", getattr(node, "attr", ""))) in private
        )
        yield from (f"{module.name}:{private[name]} {name}" for name in private if uses[name] == 1)


def homonyms(named: Iterator[tuple[str, str]]) -> Iterator[Place]:
    places: dict[str, list[str]] = {}
    for name, place in named:
        places.setdefault(name, []).append(place)
    yield from (f"{name}: {', '.join(at)}" for name, at in places.items() if len(at) > 1)


def file_homonyms() -> Iterator[Place]:
    return homonyms(
        (module.path.name, str(module.path.relative_to(HOUSE)))
        for module in modules()
        if not module.path.name.startswith("__")
    )


def class_homonyms() -> Iterator[Place]:
    return homonyms(
        (node.name, module.name)
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    )


def bound(names: set[str]) -> Iterator[Place]:
    """Where a name is bound: by an assignment, a loop, a comprehension or a parameter."""
    for module in modules():
        for node in ast.walk(module.tree):
            name = (
                node.id
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                else node.arg
                if isinstance(node, ast.arg)
                else ""
            )
            if name in names:
                yield f"{module.name}:{getattr(node, 'lineno', 0)} {name}"


def mannered(lines: Iterator[tuple[str, str]]) -> Iterator[Place]:
    for place, line in lines:
        for phrase in MANNERED.values():
            yield from (f"{place} {match.group().strip()}" for match in re.finditer(phrase, line))


def source_prose() -> Iterator[tuple[str, str]]:
    """Comments, docstrings and messages of the source, its proofs, templates and READMEs."""
    for module in modules():
        with module.path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type in {tokenize.STRING, tokenize.COMMENT}:
                    yield f"{module.path.relative_to(ROOT)}:{token.start[0]}", token.string
    yield from prose(path for kind in ("*.md", "*.j2") for path in HOUSE.rglob(kind))


def documents() -> Iterator[tuple[str, str]]:
    return prose((*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")))


def prose(paths: Iterator[Path] | tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """The lines of documents, without their blocks of code."""
    for path in sorted(paths):
        if path.name == "CHANGELOG.md":
            continue
        code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            code ^= line.lstrip().startswith("```")
            if not code:
                yield f"{path.relative_to(ROOT)}:{number}", line


RATCHETS: dict[str, Counting] = {
    f"modules over {LONG_MODULE} lines": long_modules,
    f"functions over {LONG_FUNCTION} lines": long_functions,
    "private helpers called once": helpers_called_once,
    "file names that occur again": file_homonyms,
    "class names that occur again": class_homonyms,
    "bindings of one": lambda: bound({"one"}),
    f"bindings of {', '.join(sorted(VAGUE))}": lambda: bound(VAGUE),
    "mannered words in src": lambda: mannered(source_prose()),
    "mannered words in documents": lambda: mannered(documents()),
}


def lines_of(paths: Iterator[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


BUDGETS: dict[str, Callable[[], int]] = {
    "lines of src": lambda: lines_of(SRC.rglob("*.py")),
    "modules of src": lambda: len(modules()),
    "lines of the trusted part": lambda: sum(
        lines_of((HOUSE / floor).rglob("*.py")) for floor in TRUSTED
    ),
    "lines of docs": lambda: lines_of((ROOT / "docs").rglob("*.md")),
}


def written() -> dict[str, Any]:
    """The counts that are written down, and the budgets with their reasons."""
    content: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return content


def lower() -> None:
    """Write down what has fallen. What has risen stays as it was, and the test fails."""
    text = FILE.read_text(encoding="utf-8")
    for name, most in written()["ratchets"].items():
        now = min(most, len(list(RATCHETS[name]())))
        text = text.replace(f"  {name}: {most}\n", f"  {name}: {now}\n")
    FILE.write_text(text, encoding="utf-8")


def main(words: list[str]) -> None:
    if words == ["--write"]:
        lower()
    for name, counting in RATCHETS.items():
        places = list(counting())
        print(f"{len(places):6,} {name}")  # noqa: T201 (a command of this file)
        if name in words:
            print("\n".join(places))  # noqa: T201 (as above)
    for name, size in BUDGETS.items():
        print(f"{size():6,} {name}")  # noqa: T201 (as above)


if __name__ == "__main__":
    main(sys.argv[1:])
