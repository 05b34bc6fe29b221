"""Recipe: what the file of a product says of its recipe, filled in for an office.

Texts are Jinja templates. What has `{{ year }}` or `{{ quarter }}` in its name is there once for
each year of the product, or for each quarter that an office names.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Self

from jinja2 import Environment, PackageLoader, StrictUndefined

from leeward.core.codebook.flow_classes import FLOW_LABELS
from leeward.core.codebook.wage_jobs import Quarter
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import alpha_text
from leeward.core.mechanisms.apd import ApdTarget
from leeward.derived.products.public_product import Product, Recipe, product
from leeward.lab.economy.made_up_codes import (
    AFQT,
    DEGREES,
    PAY_GRADES,
    SECTORS,
    TITLES,
    WORKER_CODES,
)

LISTS: Mapping[str, Mapping[str, str]] = {
    **WORKER_CODES,
    "sector": {sector.code: sector.label for sector in SECTORS},
    "flow": FLOW_LABELS,
    "degree": DEGREES,
    "title": TITLES,
    "pay_grade": PAY_GRADES,
    "afqt": AFQT,
}
"""Code lists that texts name."""

YEARS = re.compile("([0-9]{4})-([0-9]{4})")


@dataclass(frozen=True)
class Years:
    """The calendar years with wage records of all four quarters: public."""

    first: int
    last: int

    @classmethod
    def read(cls, written: str | None) -> Self:
        """From what people write, such as 2016-2026."""
        years = YEARS.fullmatch(written or "")
        if years is None or years[1] > years[2]:
            raise InvalidParameter(
                "--years",
                rule="must be the first and the last calendar year of which the wage records hold "
                "all four quarters; they are public and not read from the data",
                value="nothing" if written is None else shown(written),
                next_step="Write --years 2016-2026.",
            )
        return cls(int(years[1]), int(years[2]))


@dataclass(frozen=True)
class Given:
    """What an office gives a recipe beside its tables.

    `workplaces`, `workers` and `jobs` are tables as plans name them, from the folder of the recipe.
    """

    workplaces: str
    workers: str
    years: str | None = None
    quarter: tuple[str, ...] = ()
    target: str | None = None
    size: int | None = None
    jobs: str = ""
    homes: bool = False
    """Whether workers have the column home."""
    period: str | None = None

    def values(self, of: Product) -> dict[str, Any]:
        """What the texts of a product may name."""
        options, recipe = of.draft.options, f"for the recipe {of.name}"
        last = Years.read(self.years).last if "years" in options else None
        quarters = [str(Quarter.read(text)) for text in self.quarter]
        if "quarter" in options and not quarters:
            several = "several quarters are several such options."
            step = f"Write --quarter 2026Q2; {several}"
            raise InvalidParameter.missing("--quarter", where=recipe, next_step=step)
        if "period" in options and self.period is None:
            step = "Write what the jobs are of, such as --period 2026Q2."
            raise InvalidParameter.missing("--period", where=recipe, next_step=step)
        epsilons = YearlyEpsilons.read(self.target, self.size) if "target" in options else None
        return {
            "product": of.name,
            "workplaces": self.workplaces,
            "workers": self.workers,
            "jobs": self.jobs,
            "homes": self.homes,
            "period": self.period,
            "years": of.years,
            "last": last,
            "quarters": quarters,
            "target": self.target and repr(self.target),
            "size": self.size,
            "budget": epsilons,
        }


def read_recipe(name: str, given: Given) -> Recipe:
    """The recipe of this name, for an office."""
    of = product(name)
    values = given.values(of)
    content = {key: _filled(part, values) for key, part in of.recipe.items()}
    return Recipe.model_validate(content | {"covered": given.years or ""})


def _filled(part: object, values: Mapping[str, Any]) -> object:
    """A part of a recipe with its texts filled; entries are repeated as their names say."""
    if isinstance(part, Mapping):
        return {
            _text(key, each): _filled(value, each)
            for key, value in part.items()
            for each in _each(key, values)
        }
    if isinstance(part, list):
        # The name of an entry is the entry itself, or what it says first.
        names = [
            next(iter(entry.values())) if isinstance(entry, Mapping) else entry for entry in part
        ]
        named = zip(names, part, strict=True)
        return [_filled(entry, each) for name, entry in named for each in _each(name, values)]
    return _text(str(part), values)


def _each(name: str, values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The values once, or for each year or quarter that a name means."""
    for variable in ("year", "quarter"):
        if f"{{{{ {variable} }}}}" in name and variable not in values:
            return [{**values, variable: value} for value in values[f"{variable}s"]]
    return [values]


def _text(template: str, values: Mapping[str, Any]) -> str:
    return environment().from_string(template).render(values) if "{" in template else template


@cache
def environment() -> Environment:
    """The environment of the texts: plain text, in which a missing value is an error."""
    jinja = Environment(
        loader=PackageLoader("leeward", "derived/products/templates"),
        autoescape=False,  # noqa: S701 (codebooks and plans in YAML, no page)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    jinja.filters["exactly"] = alpha_text
    jinja.globals["listed"] = listed
    jinja.globals |= vars(jinja.get_template("pieces.yaml.j2").module)
    return jinja


def listed(name: str) -> str:
    """The codes of a list with their labels, a line each, as an attribute has them."""
    return "".join(f'\n      "{code}": "{label}"' for code, label in LISTS[name].items())


CAP_IN_MEANS = 3
"""The planned cap in mean pays, for a target."""

DIGITS = 1000
"""A computed ε is rounded up to a thousandth."""


@dataclass(frozen=True)
class YearlyEpsilons:
    """ε of a year's counts, of its means, and of both where they are drawn together.

    ε = Σ_t (ε_emp,t + ε_earn,t) where count and mean of a cell are drawn apart; one ε_t for both
    where they are drawn together.
    """

    counts: Fraction = Fraction(1, 10)
    means: Fraction = Fraction(3, 10)
    together: Fraction = Fraction(4, 10)

    @classmethod
    def read(cls, written: str | None, size: int | None) -> "YearlyEpsilons":
        """The usual ones, or about the least that reach a target in cells of a planned size."""
        if written is None:
            return cls()
        target = ApdTarget.read(written)
        if size is None:
            raise InvalidParameter(
                "--size",
                rule="must be given beside --target: the number of people in a cell that should "
                "reach it, from figures that are published already",
                value="nothing",
                next_step="Write --size 30, never a count of these data.",
            )
        both = _rounded(target.mean_and_count(size, CAP_IN_MEANS))
        return cls(_rounded(target.count(size)), both, both)


def _rounded(epsilon: Fraction) -> Fraction:
    return Fraction(-(-epsilon.numerator * DIGITS // epsilon.denominator), DIGITS)
