"""Law: what the law of an office asks of its publications, as passages. Public: it is published."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from leeward.core.codebook.yaml_document import (
    Long,
    Short,
    Written,
    one_of,
    parse,
    read_document,
)
from leeward.core.errors import BadFile, did_you_mean, raise_all

NONE: Final = "none"
BUILT_IN = {"us-title13": Path(__file__).with_name("us-title13.yaml")}
"""Texts that come with the program, by the name that a plan gives."""

PROMISES = "must be one of odds, worker, size, make_up, firm and pay"

Promise = Annotated[Literal["odds", "worker", "size", "make_up", "firm", "pay"], one_of(PROMISES)]
"""A promise of a certificate, as reports head it."""


class Passage(Written):
    """What one passage asks, where it stands, and the promises that are shown beside it."""

    heading: Short
    source: Short
    asks: Long
    answers: tuple[Promise, ...] = Field(default=(), max_length=6)


class Law(Written):
    """The passages that an office wants to see beside its promises."""

    title: Short
    passages: tuple[Passage, ...] = Field(min_length=1, max_length=20)


def read_law(name: str, folder: Path) -> Law | None:
    """A text that comes with the program, or a YAML file of the office; None for `none`."""
    if name == NONE:
        return None
    path = BUILT_IN.get(name, folder / name)
    if not path.exists():
        raise BadFile(
            "law",
            rule=f"must be {', '.join(BUILT_IN)}, {NONE}, or a file that exists",
            value=repr(name),
            next_step=did_you_mean(name, (*BUILT_IN, NONE), "Look at the name and the file."),
        )
    law, problems = parse(Law, read_document(path, "law"), "law")
    raise_all(problems)
    return law
