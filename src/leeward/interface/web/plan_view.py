"""Plan view: everything that the Plan tab shows at one moment."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from leeward.core.codebook import Attribute
from leeward.core.errors import LeewardError
from leeward.core.exact import number_text
from leeward.core.privacy.sentences import IN_SHORT, establishment
from leeward.interface.web.plan_form import DraftTable, Loaded, PlanDraft
from leeward.interface.web.plan_result import PlanBudget, PlanResult, make_result
from leeward.publishing.plan.frontier import Frontier
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.prediction import HEADINGS, MECHANISMS, NOTHING, POLICIES, outlook
from leeward.publishing.plan.request import Request

MOST_BOXES = 24
"""Maximum number of codes that have a box of their own."""

FEW = 6
"""Maximum number of tables that are all shown open."""

PROTECT = ("policy", "alpha", "plus", "unit", "epsilon", "epsilon_job", "delta")
TOGETHER = {"tables.share": "tables", "jobs.rule": "jobs"}
PARTS = re.compile(r"\.[^.\[]*$|\[[0-9]+\]$")


def _steps(*ranges: tuple[str, str, str]) -> str:
    """Positions of a slider as texts: each range from start to stop by its step."""
    positions = list[str]()
    for start, stop, step in ranges:
        at, end, width = map(Decimal, (start, stop, step))
        while at <= end:
            positions.append(f"{at.normalize():f}")
            at += width
    return " ".join(dict.fromkeys(positions))


EPSILON = _steps(
    *(("0.01", "0.1", "0.01"), ("0.1", "1", "0.05"), ("1", "4", "0.1")),
    *(("4", "10", "0.25"), ("10", "20", "0.5")),
)
ALPHA = _steps(("0.005", "0.1", "0.005"), ("0.1", "0.3", "0.01"), ("0.3", "1", "0.05"))
DELTA = " ".join(["0", *(f"{Decimal(10) ** -n:f}" for n in range(12, 1, -1))])
SHARE = _steps(("0.01", "1", "0.01"))
PLUS = _steps(("1", "20", "1"), ("20", "100", "5"))

SLIDERS = {"epsilon": EPSILON, "alpha": ALPHA, "plus": PLUS, "delta": DELTA, "share": SHARE}


@dataclass(frozen=True)
class Aim:
    """The question which ε gives a wanted error, and its answer."""

    table: str
    error: str
    plan: Plan | None = None
    budget: PlanBudget | None = None
    refusals: tuple[LeewardError, ...] = ()

    @property
    def epsilon(self) -> str:
        """The smallest ε that was found, or nothing."""
        return "" if self.plan is None else number_text(self.plan.asked.epsilon)


@dataclass(frozen=True)
class Possible:
    """The frontier that was asked for, or why there is none."""

    frontier: Frontier | None = None
    refusals: tuple[LeewardError, ...] = ()


@dataclass(frozen=True)
class Saving:
    """The file name to save under; then the saved file or the refusals."""

    name: str
    saved: Path | None = None
    commands: str = ""
    refusals: tuple[LeewardError, ...] = ()


@dataclass(frozen=True)
class Filter:
    """An attribute that a table is filtered by: its codes with labels, and whether each is kept."""

    name: str
    codes: tuple[tuple[str, str, bool], ...]

    @classmethod
    def of(cls, name: str, kept: list[str], attribute: Attribute | None) -> "Filter":
        """The codes of the codebook, and kept ones that it lacks."""
        codes, labels = (attribute.codes, attribute.labels) if attribute else ((), ())
        listed = [
            (code, label if label != code else "", code in kept)
            for code, label in zip(codes, labels, strict=True)
        ]
        others = [(code, "not in the codebook", True) for code in kept if code not in codes]
        return cls(name, (*listed, *others))

    @property
    def short(self) -> bool:
        """Whether every code has a box of its own."""
        return len(self.codes) <= MOST_BOXES


@dataclass(frozen=True)
class PlanView:
    """The draft, its predictions, and its refusals by control."""

    path: Path
    draft: PlanDraft
    request: Request | None
    result: PlanResult
    problems: Mapping[str, list[LeewardError]]

    policies = POLICIES
    words = IN_SHORT
    mechanisms = MECHANISMS
    headings = HEADINGS
    sliders = SLIDERS

    @property
    def few(self) -> bool:
        """Whether every table is shown open."""
        return len(self.draft.tables) <= FEW

    @property
    def step(self) -> str:
        """What one step of size does, computed from the plan where there is one."""
        plan = self.result.plan
        if plan is None or plan.charge.alpha is None:
            return "One step leads from a size x to (1+α)·x."
        return establishment(plan.charge, plan.jobs).text

    @property
    def controls(self) -> tuple[str, ...]:
        """The names of all controls that can show a refusal."""
        return tuple(controls(len(self.draft.tables)))

    @property
    def profile_words(self) -> str:
        """The cells over which mean errors are taken, in words."""
        return self.result.outlook.profile.words

    @property
    def given_sizes(self) -> bool:
        """Whether the plan names sizes of its own."""
        return self.result.outlook.profile.given

    @property
    def first_problem(self) -> str:
        """The id of the element that shows the first refusal."""
        named = next((name for name in self.controls if name in self.problems), "")
        return "elsewhere" if "" in self.problems else f"problem-{named}"

    @property
    def uneven(self) -> bool:
        """Whether equal shares would help: shares differ, or some are refused."""
        shares = [table.share for table in self.draft.tables]
        fields = ("tables", *(f"tables[{number}].share" for number in range(len(shares))))
        refused = any(field in self.problems for field in fields)
        return not self.draft.equal or (refused and any(shares))

    def marked(self, number: int) -> bool:
        """Whether a field of this table shows a refusal."""
        return any(field.startswith(f"tables[{number}].") for field in self.problems)

    def troubles(self, number: int) -> list[LeewardError]:
        """Refusals that a table causes and a field outside it shows."""
        own, name = f"tables[{number}].", self.draft.tables[number].name
        return [
            refusal
            for field, several in self.problems.items()
            for refusal in several
            if not field.startswith(own) and str(refusal.value).endswith(f" for table {name}")
        ]

    @property
    def refused(self) -> int:
        """The number of refusals."""
        return sum(map(len, self.problems.values()))

    def filters(self, table: DraftTable) -> list[Filter] | None:
        """The filters of a table to be changed; None where they have not the shape of filters."""
        codebook, choices = self.result.outlook.codebook, table.choices
        if choices is None:
            return None
        declared = {} if codebook is None else codebook.attributes
        return [Filter.of(name, kept, declared.get(name)) for name, kept in choices.items()]

    def offered(self, chosen: Iterable[str]) -> list[tuple[str, Attribute | None]]:
        """Attributes to tabulate by: chosen ones in their order, then the others."""
        codebook = self.result.outlook.codebook
        declared = {} if codebook is None else codebook.attributes
        free = [name for name, attribute in declared.items() if attribute.may_be_tabulated]
        names = dict.fromkeys([*chosen, *free])
        return [(name, declared.get(name)) for name in names]


def make_view(
    loaded: Loaded, request: Request, draft: PlanDraft, ledger: Path | None, *, first: bool
) -> PlanView:
    """The view of a draft; at `first` with the refusals of the file itself."""
    drafted, problems = draft.request(request)
    ahead = NOTHING if drafted is None else outlook(drafted, loaded.path)
    refusals = [*(loaded.refusals if first else ()), *problems, *ahead.refusals]
    return PlanView(
        path=loaded.path,
        draft=draft,
        request=drafted,
        result=make_result(ahead, ledger),
        problems=by_field(refusals, controls(len(draft.tables))),
    )


def by_field(
    refusals: Iterable[LeewardError], known: Iterable[str]
) -> Mapping[str, list[LeewardError]]:
    """Refusals by the control that shows them; those without a control under the empty name."""
    controls, shown = frozenset(known), dict[str, list[LeewardError]]()
    for refusal in refusals:
        shown.setdefault(field_of(refusal.parameter, controls), []).append(refusal)
    return shown


def field_of(parameter: str, controls: frozenset[str]) -> str:
    """The nearest control: `tables[1].by` shows a refusal of `tables[1].by[0]`."""
    name = parameter.removeprefix("plan.")
    name = f"protect.{name}" if name in PROTECT else TOGETHER.get(name, name)
    while name and name not in controls:
        shorter = PARTS.sub("", name)
        name = "" if shorter == name else shorter
    return name


def controls(tables: int) -> Iterable[str]:
    """Every control of a form with this number of tables, in the order of the page."""
    yield from (f"protect.{name}" for name in PROTECT)
    yield from ("account", "period", "jobs", "jobs.primary", "jobs.max_per_worker", "jobs.per")
    yield "tables"
    for number in range(tables):
        for key in (
            *("name", "by", "where", "share", "margins", "mechanism", "totals", "breakdowns"),
            *("complete", "establishments", "statistic"),
        ):
            yield f"tables[{number}].{key}"
