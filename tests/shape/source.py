"""The source as data: its modules, parsed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"


@dataclass(frozen=True)
class Module:
    """One parsed file: `name` is dotted, `package` is what a relative import starts from."""

    path: Path
    name: str
    package: str
    tree: ast.Module

    def imports(self) -> Iterator[tuple[int, str]]:
        """Line and full dotted name of everything imported, wherever the statement stands."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = self._origin(node)
                yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.package.split(".")
        base = parts[: len(parts) - node.level + 1]
        return ".".join([*base, node.module] if node.module else base)


@cache
def modules(src: Path = SRC) -> tuple[Module, ...]:
    """Every module under a source folder, parsed once: `modules` is called when it is complete."""
    return tuple(_module(path, src) for path in sorted(src.rglob("*.py")))


def _module(path: Path, src: Path) -> Module:
    parts = path.relative_to(src).with_suffix("").parts
    package = parts[:-1]
    name = package if parts[-1] == "__init__" else parts
    return Module(path, ".".join(name), ".".join(package), ast.parse(path.read_text()))
