"""Statements: the parts of a certificate, each one fact about a release.

Exact numbers are text: `4`, `1/10`. A reader who computes with them gets what was promised.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from leeward.core.codebook import JobsRule
from leeward.core.codebook.row_rules import ROW_RULES, RowRule
from leeward.core.exact import printed
from leeward.core.privacy import (
    Guarantee,
    job_sentences,
    policy,
    sentences,
)
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.core.privacy.policy import MOST_PLUS, with_unit
from leeward.core.privacy.words import READING, joined

Text = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]
"""One short line."""

Prose = Annotated[str, Field(min_length=1, max_length=20_000)]
Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16,128}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Exact = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,1799})(/[1-9][0-9]{0,1799})?$")]
Decimal = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}(\.[0-9]{1,12})?$")]
"""A rounded number, on which no guarantee depends."""

Count = Annotated[int, Field(ge=0, le=2**53)]
"""A whole number that every reader of JSON holds exactly."""

Item = TypeVar("Item")
Listed = Annotated[tuple[Item, ...], Field(fail_fast=True)]
"""A list; a stranger's list of a million wrong items is one error, not a million."""

Policy = Literal["worker", "person", "establishment", "strong", "weak", "proportional"]


class Statement(BaseModel):
    """A part of a certificate: no other keys than these, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def json_parts(content: Mapping[str, Any]) -> Iterator[bytes]:
    """A statement as JSON in small parts, a value on each line: the one way to write it."""
    encoder = json.JSONEncoder(indent=1, ensure_ascii=False, allow_nan=False)
    yield from (part.encode() for part in encoder.iterencode(content))
    yield b"\n"


def is_written(parts: Iterable[bytes], content: bytes) -> bool:
    """Whether the content is these parts, one after another."""
    done = 0
    try:
        for part in parts:
            if not content.startswith(part, done):
                return False
            done += len(part)
    except ValueError:  # numbers and letters that JSON does not have
        return False
    return done == len(content)


class SparseStatement(Statement):
    """A statement whose keys `optional` are left out where they are null."""

    optional: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_null(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = written(self)
        left_out = {name for name in self.optional if content[name] is None}
        return {name: part for name, part in content.items() if name not in left_out}


class GuaranteeStatement(SparseStatement):
    """A guarantee; `plus` is Δ and is left out where it is 1, `unit` where it is establishment.

    `reading` is the δ at which ρ is told as an ε: it is no loss, and is left out where ρ is 0.
    `epsilon_job` and `rho_job` are what one job costs, left out where that is what its steps cost.
    """

    optional = ("plus", "unit", "reading", *JOB_LOSSES)

    policy: Policy
    alpha: Exact | None
    plus: Annotated[int, Field(ge=2, le=MOST_PLUS)] | None = None
    unit: Literal["employer"] | None = None
    epsilon: Exact
    delta: Exact
    rho: Exact
    reading: Exact | None = None
    epsilon_job: Exact | None = None
    rho_job: Exact | None = None

    def as_guarantee(self) -> Guarantee:
        """The guarantee as exact numbers."""
        growth = None if self.alpha is None else printed(self.alpha)
        numbers = (printed(number) for number in (self.epsilon, self.delta, self.rho))
        jobs = {name: getattr(self, name) for name in JOB_LOSSES}
        return Guarantee(
            with_unit(policy(self.policy), self.unit),
            growth,
            *numbers,
            plus=self.plus,
            reading=READING if self.reading is None else printed(self.reading),
            **{name: printed(loss) for name, loss in jobs.items() if loss is not None},
        )


class TableGuarantee(GuaranteeStatement):
    """What one table costs."""

    @classmethod
    def of(cls, guarantee: Guarantee) -> Self:
        """The guarantee as text."""
        return cls.model_validate(written(guarantee))

    @model_validator(mode="after")
    def _is_a_guarantee(self) -> Self:
        self.as_guarantee()
        return self


class ReleaseGuarantee(GuaranteeStatement):
    """What the whole release costs, and what that promises."""

    measure: Literal["pure", "approximate", "zCDP", "mixed"]
    sentence: Prose

    @classmethod
    def of(cls, guarantee: Guarantee, jobs: JobsRule, *, strict: bool) -> Self:
        """The guarantee as text, with its plain words."""
        said = joined(sentences.whole(guarantee, jobs, strict=strict))
        words = {"measure": guarantee.measure, "sentence": said}
        return cls.model_validate({**written(guarantee), **words})

    @model_validator(mode="after")
    def _is_a_guarantee(self) -> Self:
        if self.as_guarantee().measure != self.measure:
            raise ValueError("the measure must be the one of the numbers")
        return self


class AboutStatement(SparseStatement):
    """What a publication is called, what it is for, and whom to ask, in words of the office."""

    optional = ("title", "description", "contact", "source", "licence")

    title: Text | None = None
    description: Prose | None = None
    contact: Text | None = None
    source: Prose | None = None
    licence: Text | None = None

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Source, contact and licence with their headings, as far as they are given."""
        headings = {"Source": self.source, "Contact": self.contact, "Licence": self.licence}
        return tuple((name, text) for name, text in headings.items() if text is not None)


class AttributeStatement(SparseStatement):
    """What an identifier is called, and what readers must know of it, by the codebook."""

    optional = ("label", "note")

    label: Text | None = None
    note: Prose | None = None


class RowsStatement(Statement):
    """Whether rows of workers and jobs could refuse the release, or under which rules they fall."""

    strict: bool
    rules: Listed[Prose]
    sentence: Prose

    @classmethod
    def of(cls, rules: tuple[RowRule, ...] = ROW_RULES, *, strict: bool) -> Self:
        """The rules of a codebook, or none where their rows are refused."""
        said = () if strict else tuple(rule.sentence for rule in rules)
        return cls(strict=strict, rules=said, sentence=job_sentences.rows(strict=strict).text)


class SoftwareStatement(Statement):
    """Which program made the bundle: its commit, a digest of its files, what it computes with."""

    leeward: Text
    commit: Hex | None
    wheel: Sha256
    numpy: Text
    duckdb: Text
    python_flint: Text
    python: Text


class DataStatement(Statement):
    """Which data were tabulated, as a fingerprint that only the holder of a key can compare."""

    fingerprint: Hex
    keyed: Prose


class LedgerStatement(Statement):
    """Where the charge stands."""

    id: Text
    account: Text
    entry: Count
    head: Hex


class LeftStatement(SparseStatement):
    """What later releases of the account may lose, never more than the truth.

    `rho` is what is left of a cap in ρ, or of the part of a cap that is for Gaussian noise; it is
    left out of all others. `epsilon_job` is what is left for one job, where the cap says how much
    that may be.
    """

    optional = ("rho", "epsilon_job")

    epsilon: Exact
    delta: Exact
    rho: Exact | None = None
    epsilon_job: Exact | None = None


class BudgetStatement(SparseStatement):
    """The account with this charge: its cap, what the release paid, what is spent and left.

    All under the policy, α, Δ and unit of the account; numbers of very many digits are rounded
    towards less being left. With `parts` they are those of one part of the frame.
    """

    optional = ("parts",)
    cap: TableGuarantee
    paid: TableGuarantee
    spent: TableGuarantee
    left: LeftStatement
    parts: Prose | None = None

    @model_validator(mode="after")
    def _is_in_one_currency(self) -> Self:
        parts = (self.cap, self.paid, self.spent)
        if len({(part.policy, part.alpha, part.plus, part.unit) for part in parts}) > 1:
            raise ValueError("cap, paid and spent must be of one policy, alpha, plus and unit")
        return self


class MadeFromStatement(Statement):
    """The release that a bundle was made of, by the digest of its certificate.

    Only that release was read, so its guarantee, charge and entry are those of this bundle too.
    """

    name: Text
    certificate: Sha256
    created: Text
    leeward: Text
    method: Literal["tidy", "tidy, shrunk"]
    sentence: Prose


class FileStatement(Statement):
    """What a file of the bundle holds, to the last byte."""

    sha256: Sha256
    bytes: Count


def written(guarantee: Guarantee) -> dict[str, str | int | None]:
    """Policy, α, Δ, unit and the losses of a guarantee; exact numbers as text."""
    alpha = None if guarantee.alpha is None else str(guarantee.alpha)
    plus = guarantee.plus if (guarantee.plus or 1) > 1 else None
    unit = guarantee.unit if guarantee.unit == "employer" else None
    named = {"policy": guarantee.policy.name, "alpha": alpha, "plus": plus, "unit": unit}
    reading = str(guarantee.reading) if guarantee.rho > 0 else None
    return {**named, **losses(guarantee), "reading": reading, **guarantee.job_texts()}


def losses(guarantee: Guarantee) -> dict[str, str]:
    """ε, δ and ρ of a guarantee as text."""
    return {name: str(getattr(guarantee, name)) for name in ("epsilon", "delta", "rho")}
