"""Public layout: the files of a public product as data: columns of codes, numbers, their tables.

Levels follow from the length of a code, as the LEHD public-use schema V4.14 describes its codes
(label_geo_level.csv, label_ind_level.csv). A column that a table is not by has the code of all.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from leeward.core.codebook import Flag
from leeward.core.codebook.yaml_document import Written
from leeward.core.errors import InvalidParameter, shown

PARAMETER = "--form"
GIVEN = "given"
"""In a sum: whatever the code is."""

AT = "{{ at }}"
"""In the name of a number: the percentage."""

SOURCES = ("from_", "level_of", "years_of", "part_of_period", "adds")


def refused(rule: str, value: object, next_step: str) -> InvalidParameter:
    """The error for what a layout cannot have."""
    return InvalidParameter(PARAMETER, rule=rule, value=shown(value), next_step=next_step)


def _merged(written: object) -> object:
    """Several mappings in a row are one."""
    if not isinstance(written, list) or not all(isinstance(part, dict) for part in written):
        return written
    return {key: value for part in written for key, value in part.items()}


Merged = BeforeValidator(_merged)


class CodeColumn(Written):
    """A column of codes, and where they come from; without a source it has the code of all."""

    from_: tuple[str, ...] = Field((), alias="from")
    """The identifiers of tables whose codes go here."""
    of_all: str = Field("", alias="all")
    width: int | None = None
    """How many characters a code has at most."""
    codes: Mapping[str, str] = {}
    """The codes of tables and those of the product: others would be taken for its own."""
    level_of: str = ""
    matching: Mapping[str, str] = {}
    """Levels of codes by a regular expression; the first that matches."""
    lengths: Mapping[int, str] = {}
    """Levels of codes by their number of characters."""
    other: str = ""
    """The level of other codes, which are rejected if it is empty."""
    years_of: str = ""
    """The column of cohorts, whose labels say of how many years they are."""
    part_of_period: Literal["", "year", "quarter"] = ""
    adds: Mapping[str, Mapping[str, int]] = {}
    """A level that adds up numbers of other columns' codes; empty where a code has no number."""
    names_file: bool = False
    """Whether the codes are in the names of files in place of a column."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if sum(bool(getattr(self, source)) for source in SOURCES) > 1:
            raise ValueError("must have one source of its codes")
        return self

    def code(self, column: str, given: str | None) -> str:
        """What is written of a code; None means all."""
        if given is None:
            return self.of_all
        if self.codes and given not in self.codes:
            raise refused(
                f"needs codes of {column} among {', '.join(self.codes)}",
                given,
                f"Declare an attribute {column} with these codes, and release by it.",
            )
        if self.width is not None and len(given) > self.width:
            raise refused(
                f"needs codes of {column} with at most {self.width} characters",
                given,
                "Use codes as the public product does.",
            )
        return self.codes.get(given, given)

    def level(self, given: str | None) -> str:
        """The level of a code; None means all."""
        if given is None:
            return self.of_all
        named = (level for form, level in self.matching.items() if re.fullmatch(form, given))
        level = next(named, self.lengths.get(len(given), self.other))
        if not level:
            raise refused(
                f"needs codes of {self.level_of} with one of "
                f"{', '.join(map(str, self.lengths))} characters",
                given,
                "Use codes as the public product does, or leave the table out.",
            )
        return level

    def added(self, codes: Mapping[str, str], given: Mapping[str, str]) -> str:
        """The sum of numbers of written codes; `given` are those that a table has."""
        total = 0
        for column, numbers in self.adds.items():
            known = GIVEN if column in given and GIVEN in numbers else codes[column]
            if known not in numbers:
                return ""
            total += numbers[known]
        return str(total)


class MeasureRule(Written):
    """What a table of a measure must be, and which numbers of the layout its rows give."""

    statistic: str = ""
    at: tuple[str, ...] = ()
    """The percentages that percentiles must have."""
    number: str = ""
    """The column; `{{ at }}` in it is the percentage."""
    named_by: str = ""
    """The identifier whose codes are names of columns, in place of `number`."""
    dollars_of: Literal["", "month", "quarter", "year"] = ""
    """Of pay the time that dollars are for."""
    ends: bool = False
    """Whether the ends of the interval have columns too, `_low` and `_high`."""
    count: str = ""
    """The column of the count beside pay, where no table of counts gives that number."""
    where: Mapping[str, str | list[str]] | None = None
    """The jobs that the table must be of; none are all jobs, and without it they may be any."""
    codes: Mapping[str, str] = {}
    """Codes of columns that the table is not by."""

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if bool(self.number) == bool(self.named_by):
            raise ValueError("must have a number, or the identifier that names it")
        return self

    def columns(self, percentage: str = "") -> tuple[str, ...]:
        """The columns of a row's number and of its ends."""
        name = self.number.replace(AT, percentage)
        return (name, f"{name}_low", f"{name}_high") if self.ends else (name,)

    def count_at(self, percentage: str | None) -> bool:
        """Whether a row gives the count: of several percentages the one in the middle."""
        return bool(self.count) and (not self.at or percentage == self.at[len(self.at) // 2])


class VersionLine(Written):
    """The line of an LEHD version file: product, schema, and the columns of its times."""

    product: str
    schema_: str = Field(alias="schema")
    time: tuple[str, ...]


class PublicLayout(Written):
    """A form: its columns of codes, its numbers with their flags, and the tables that fill it.

    Several numbers may share a flag. One whose flag is empty has none, and is empty where it is not
    there. `absent` are flags of numbers that no table gives, where that is not −1, and
    `lowest_flag` is the lowest that the product knows. Numbers of `signed` may be below 0.
    """

    name: str
    turn: int = 99
    """Its place in lists of forms."""
    source: str
    """Where its columns are described."""
    version: VersionLine | None = None
    identifiers: Mapping[str, CodeColumn]
    files: Mapping[str, tuple[str, ...]] = {}
    """The columns of each file; without it one file has them all."""
    every_file: tuple[str, ...] = ()
    such_as: str = ""
    """Examples of what the files are by."""
    numbers: Annotated[Mapping[str, str], Merged]
    left_out: Mapping[str, tuple[str, ...]] = {}
    """Numbers that a file does not have."""
    absent: Annotated[Mapping[str, int], Merged] = {}
    signed: tuple[str, ...] = ()
    lowest_flag: Flag = Flag.NO_NUMBER
    tables: Annotated[Mapping[str, MeasureRule], Merged]
    """By measure: what names of tables begin with."""

    @model_validator(mode="after")
    def _names_its_columns(self) -> Self:
        columns = self.identifiers.values()
        known = {*self.identifiers}
        named = {
            *(column.level_of or column.years_of for column in columns),
            *(part for column in columns for part in column.adds),
            *self.every_file,
            *(part for file in self.files.values() for part in file),
            *(part for rule in self.tables.values() for part in rule.codes),
        } - {""}
        if odd := min(named - known, default=""):
            raise ValueError(f"must have the column {odd} that it names")
        if odd := min({*self.absent} - {*self.numbers.values()}, default=""):
            raise ValueError(f"must have the flag {odd} that it names")
        filled = (rule for rule in self.tables.values() if rule.number)
        numbers = {name for rule in filled for at in rule.at or ("",) for name in rule.columns(at)}
        numbers |= {*self.signed, *(rule.count for rule in self.tables.values())} - {""}
        if odd := min(numbers - {*self.numbers}, default=""):
            raise ValueError(f"must have the number {odd} that it names")
        return self

    @property
    def attributes(self) -> dict[str, str]:
        """For each identifier that a table may have, the column of its codes."""
        return {
            source: name for name, column in self.identifiers.items() for source in column.from_
        }

    def columns_of(self, file: str) -> tuple[str, ...]:
        """The columns of codes of a file, in their order."""
        if self.files:
            return (*self.every_file, *self.files[file])
        return tuple(name for name, column in self.identifiers.items() if not column.names_file)

    def numbers_of(self, file: str) -> dict[str, str]:
        """The numbers of a file with their flags, in their order."""
        less = self.left_out.get(file, ())
        return {name: flag for name, flag in self.numbers.items() if name not in less}
