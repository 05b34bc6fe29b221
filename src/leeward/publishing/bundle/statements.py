"""Statements: the parts of a certificate, each one fact about a release.

Exact numbers are text: `4`, `1/10`. A reader who computes with them gets what was promised.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import inf
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
from leeward.core.errors import NotCovered
from leeward.core.exact import printed
from leeward.core.privacy import (
    Guarantee,
    job_sentences,
    policy,
    sentences,
)
from leeward.core.privacy.odds_of_suspicion import odds, suspicion
from leeward.core.privacy.policy import MOST_PLUS, with_unit
from leeward.core.privacy.words import READING, Sentence, joined

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


class PromiseStatement(Statement):
    """What somebody loses at most, an (ε, δ) part and a ρ-zCDP part, and what that means."""

    epsilon: Exact
    delta: Exact
    rho: Exact
    sentence: Prose


class SparseStatement(Statement):
    """A statement whose keys `optional` are left out where they are null."""

    optional: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_null(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = written(self)
        left_out = {name for name in self.optional if content[name] is None}
        return {name: one for name, one in content.items() if name not in left_out}


class FirmLoss(SparseStatement):
    """The loss of a firm with this many establishments, or in this many workplace cells."""

    optional = ("establishments", "workplace_cells")

    establishments: Count | None = None
    workplace_cells: Count | None = None
    epsilon: Exact
    delta: Exact
    rho: Exact


class FirmStatement(Statement):
    """The promise to firms; `two` is null where nothing is promised to two establishments."""

    rule: Prose
    two: FirmLoss | None
    sentence: Prose


class GuaranteeStatement(SparseStatement):
    """A guarantee; `plus` is Δ and is left out where it is 1, `unit` where it is establishment.

    `reading` is the δ at which ρ is told as an ε: it is no loss, and is left out where ρ is 0.
    """

    optional = ("plus", "unit", "reading")

    policy: Policy
    alpha: Exact | None
    plus: Annotated[int, Field(ge=2, le=MOST_PLUS)] | None = None
    unit: Literal["employer"] | None = None
    epsilon: Exact
    delta: Exact
    rho: Exact
    reading: Exact | None = None

    def as_guarantee(self) -> Guarantee:
        """The guarantee as exact numbers."""
        growth = None if self.alpha is None else printed(self.alpha)
        numbers = (printed(number) for number in (self.epsilon, self.delta, self.rho))
        return Guarantee(
            with_unit(policy(self.policy), self.unit),
            growth,
            *numbers,
            plus=self.plus,
            reading=READING if self.reading is None else printed(self.reading),
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


class JobsStatement(SparseStatement):
    """What was done about workers with several jobs.

    `per` is the attribute under each code of which `most` jobs count; left out where there is none.
    """

    optional = ("per",)

    rule: Literal["every", "single", "primary", "bounded"]
    column: Text | None
    most: Count | None
    per: Text | None = None
    sentence: Prose

    @classmethod
    def of(cls, guarantee: Guarantee, rule: JobsRule) -> Self:
        """The rule in words."""
        chosen = {name: getattr(rule, name, None) for name in ("column", "most", "per")}
        said = joined(job_sentences.jobs(guarantee, rule))
        return cls.model_validate({"rule": rule.name, **chosen, "sentence": said})


class OddsStatement(SparseStatement):
    """What becomes of a suspicion of 1 in 100 about one job: at most `to` in 100.

    It may become more with the probability `failing`, which is left out where it is 0.
    """

    optional = ("failing",)

    to: Count | None
    level: Literal["calm", "attention", "no useful bound"] | None
    failing: Exact | None = None
    sentence: Prose


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
    left out of all others.
    """

    optional = ("rho",)

    epsilon: Exact
    delta: Exact
    rho: Exact | None = None


class BudgetStatement(Statement):
    """The account with this charge: its cap, what the release paid, what is spent and left.

    All under the policy, α, Δ and unit of the account; numbers of very many digits are rounded
    towards less being left.
    """

    cap: TableGuarantee
    paid: TableGuarantee
    spent: TableGuarantee
    left: LeftStatement

    @model_validator(mode="after")
    def _is_in_one_currency(self) -> Self:
        parts = (self.cap, self.paid, self.spent)
        if len({(part.policy, part.alpha, part.plus, part.unit) for part in parts}) > 1:
            raise ValueError("cap, paid and spent must be of one policy, alpha, plus and unit")
        return self


class MarginStatement(Statement):
    """How the margins of a table were made, what they cost, and with which probability they hold.

    `coverage` is for each cell by itself, `block_coverage` for all worker cells of a workplace
    cell together and left out where that is one cell. `ends` says that they are columns `low` and
    `high`, and is left out where they are not.
    """

    method: Literal["spent", "public", "free", "none"]
    coverage: Exact | None
    block_coverage: Exact | None = None
    ends: bool = False
    epsilon: Exact | None
    note: Prose

    @model_serializer(mode="wrap")
    def _without_defaults(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = written(self)
        usual = {"block_coverage": None, "ends": False}
        return {key: one for key, one in content.items() if usual.get(key, content) != one}


class FrameStatement(Statement):
    """That a column counts the establishments of the public frame, exactly."""

    exact: Literal[True] = True
    sentence: Prose = (
        "The column establishments is the exact number of establishments of the frame in a "
        "workplace combination. It is not protected: which establishments exist, and their public "
        "codes, is public by definition (Haney et al. 2015, section 4.3). It says nothing of jobs."
    )


class TotalsStatement(Statement):
    """Which attributes have rows of totals, under which code, and how their margins were drawn."""

    codes: dict[str, Text]
    rows: Count
    draws: Count | None
    seed: Count | None
    sentence: Prose


class JointStatement(SparseStatement):
    """That a table was drawn together with others, and what is public of the size of its noise.

    All tables of one name were paid once, and each states the guarantee of all. `covers` is
    whether the rows of a workplace combination add up to its total. `deviation` is the standard
    deviation of the noise of a cell, in units of the column `bound` of the block's total or of the
    cell's own margin; both keys are left out where there is neither.
    """

    optional = ("unit", "deviation")

    name: Text
    covers: bool
    unit: Literal["bound", "margin"] | None = None
    deviation: Decimal | None = None
    sentence: Prose


class ParentStatement(Statement):
    """To which code of a coarser attribute each code of the identifier `of` belongs."""

    of: Text
    codes: dict[str, str]


class TidiedStatement(Statement):
    """That the values of a table were made of released ones, which stand beside them.

    `added` is the sum of its tidy values less that of the released ones, over all its cells.
    `shrunk` is whether shares were moved towards those of other workplaces.
    """

    added: Annotated[int, Field(ge=-(2**53), le=2**53)]
    shrunk: bool
    sentence: Prose


class MadeFromStatement(Statement):
    """The release that a bundle was made of, by the digest of its certificate.

    Nothing but that release was read, so its guarantee, its charge and its entry in the ledger are
    those of this bundle too: nothing was paid for a second time.
    """

    name: Text
    certificate: Sha256
    created: Text
    leeward: Text
    method: Literal["tidy", "tidy, shrunk"]
    sentence: Prose


Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A number in double precision."""


class PieceStatement(SparseStatement):
    """A piece of a density from `low` to where the next one starts; the first may have no start.

    exp(`rate`·z), or |z − `centre`| to the power `power` − 1, or flat without any of these. At its
    start the logarithm of the density jumps by `jump`.
    """

    optional = ("low", "jump", "rate", "power", "centre")

    low: Finite | None = None
    jump: Finite | None = None
    rate: Finite | None = None
    power: Finite | None = None
    centre: Finite | None = None

    @model_validator(mode="after")
    def _is_one_shape(self) -> Self:
        if (self.power is None) != (self.centre is None) or None not in (self.rate, self.power):
            raise ValueError("a piece must have a rate, or a power with its centre, or neither")
        if 0 in (self.rate, self.power):
            raise ValueError("rate and power must not be 0")
        return self


class ClipStatement(Statement):
    """Clipping in a class of workplace cells; `establishments` is its largest number of them.

    The logarithm of the largest establishment over its noisy number is noise of scale `spread`;
    jobs are taken away where it is above `room`.
    """

    establishments: Count
    spread: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    room: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class NoiseStatement(SparseStatement):
    """The public law of the noise of a cell, which its margin allows to draw from.

    The noise is a width times Z, rounded to whole jobs. Z is standard normal, or has a density in
    proportion to 1/(1+z⁴), or the one of `pieces`; with `shared` = k it is L/H, L Laplace and H
    Gamma(k), one H for the worker cells of a workplace cell. The width is at least `least` jobs. It
    is `share` times the margin, or the distance from `low` to the value; at most `per_job` times
    the value where that is given, and just that where the share is 0. `relative`: the noise is the
    width times Z/(1+Z). Rounding moves its mean by up to `lean` jobs, the largest shift over 128
    sizes of the largest establishment; left out where there is none.
    """

    optional = ("pieces", "shared", "relative", "per_job", "clips", "lean")

    law: Literal["normal", "quartic", "pieces"]
    pieces: Listed[PieceStatement] | None = Field(None, min_length=2, max_length=1000)
    share: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    least: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    shared: Annotated[int, Field(ge=1, le=2**53)] | None = None
    relative: Literal[True] | None = None
    per_job: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    clips: Listed[ClipStatement] | None = Field(None, min_length=1, max_length=100)
    lean: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @classmethod
    def of(cls, numbers: Mapping[str, Any]) -> Self:
        """The statement of plain numbers."""
        return cls.model_validate(numbers, strict=False)

    def numbers(self) -> dict[str, Any]:
        """The same as plain numbers; what was left out is None."""
        pieces = None if self.pieces is None else [vars(piece) for piece in self.pieces]
        clips = None if self.clips is None else [vars(clip) for clip in self.clips]
        return vars(self) | {"pieces": pieces, "clips": clips}

    @model_validator(mode="after")
    def _is_a_law(self) -> Self:
        if (self.law == "pieces") != (self.pieces is not None):
            raise ValueError("pieces must be there with the law of this name alone")
        starts = [
            -inf if piece_statement.low is None else piece_statement.low
            for piece_statement in self.pieces or ()
        ]
        classes = [clip_statement.establishments for clip_statement in self.clips or ()]
        if any(a >= b for column in (starts, classes) for a, b in pairwise(column)):
            raise ValueError("pieces and classes of clipping must be in order, each once")
        return self


class FileStatement(Statement):
    """What a file of the bundle holds, to the last byte."""

    sha256: Sha256
    bytes: Count


def worker_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement:
    """The promise to a worker with all counted jobs together; with every job, for each."""
    own = guarantee.for_jobs(job_sentences.most_jobs(jobs))
    return _promise(own, sentences.worker(guarantee, jobs))


def establishment_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement | None:
    """The promise about the size of an establishment; None where the sentence bounds nothing."""
    said = sentences.establishment(guarantee, jobs)
    return None if said.steps is None else _promise(guarantee, said)


def make_up_promise(
    guarantee: Guarantee, kinds: tuple[str, ...] | None, *, by_cell: bool
) -> PromiseStatement | None:
    """The promise about the make-up of an establishment; None where the sentence bounds nothing."""
    said = sentences.make_up(guarantee, kinds, by_cell=by_cell)
    if said.steps is None:
        return None
    try:
        return _promise(guarantee.over_steps(said.steps), said)
    except NotCovered:
        return None


def firm_promise(guarantee: Guarantee) -> FirmStatement | None:
    """The promise to a firm whose establishments all change; None where nothing is bounded."""
    said = sentences.firm(guarantee)
    if said.steps is None:
        return None
    try:
        steps = "workplace_cells" if guarantee.unit == "employer" else "establishments"
        lost = {steps: 2, **losses(guarantee.for_firm(2))}
    except NotCovered:
        lost = None
    two = None if lost is None else FirmLoss.model_validate(lost)
    return FirmStatement(rule=sentences.firm_rule(guarantee), two=two, sentence=said.text)


def odds_statement(guarantee: Guarantee, jobs: JobsRule) -> OddsStatement:
    """What becomes of a suspicion of one in a hundred about one job."""
    found = odds(guarantee)
    return OddsStatement(
        to=None if found is None else found.to,
        level=None if found is None else found.level,
        failing=None if found is None or not found.failing else str(found.failing),
        sentence=suspicion(guarantee, jobs).text,
    )


def _promise(guarantee: Guarantee, said: Sentence) -> PromiseStatement:
    return PromiseStatement.model_validate({**losses(guarantee), "sentence": said.text})


def written(guarantee: Guarantee) -> dict[str, str | int | None]:
    """Policy, α, Δ, unit and the losses of a guarantee; exact numbers as text."""
    alpha = None if guarantee.alpha is None else str(guarantee.alpha)
    plus = guarantee.plus if (guarantee.plus or 1) > 1 else None
    unit = guarantee.unit if guarantee.unit == "employer" else None
    named = {"policy": guarantee.policy.name, "alpha": alpha, "plus": plus, "unit": unit}
    reading = str(guarantee.reading) if guarantee.rho > 0 else None
    return {**named, **losses(guarantee), "reading": reading}


def losses(guarantee: Guarantee) -> dict[str, str]:
    """ε, δ and ρ of a guarantee as text."""
    numbers = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return {name: str(number) for name, number in numbers.items()}
