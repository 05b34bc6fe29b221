"""Attributes, dimensions and codebooks for the tests of this room."""

from pathlib import Path

from leeward.core.codebook import Attribute, Codebook, Dimension, read_codebook
from leeward.core.codebook.attribute import Table


def attribute(
    name: str, size: int, table: Table = "workplaces", *, public: bool = True
) -> Attribute:
    codes = tuple(f"{name}{n}" for n in range(size))
    recode = {code: n for n, code in enumerate(codes)}
    return Attribute(name, table, name, codes, codes, public and table == "workplaces", recode)


def dimension(name: str, size: int, table: Table = "workplaces") -> Dimension:
    return Dimension(attribute(name, size, table), tuple(range(size)))


def read(folder: Path, text: str) -> Codebook:
    path = folder / "codebook.yaml"
    path.write_text(text, encoding="utf-8")
    return read_codebook(path)
