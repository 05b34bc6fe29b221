"""View: everything that the Plan tab shows at one moment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from leeward.errors import LeewardError
from leeward.model import Attribute
from leeward.privacy.sentences import IN_SHORT
from leeward.privacy.words import number_text
from leeward.publishing.plan import Plan
from leeward.publishing.prediction import MECHANISMS, NOTHING, POLICIES, outlook
from leeward.publishing.request import Request
from leeward.web.draft import Draft
from leeward.web.fields import by_field, controls
from leeward.web.loaded import Loaded
from leeward.web.result import Budget, Result, make_result
from leeward.web.slider import SLIDERS

FEW = 6
"""Up to so many tables are shown open; more would bury each other."""


@dataclass(frozen=True)
class Aim:
    """The question which ε gives a wanted error, and its answer."""

    table: str
    jobs: str
    found: Plan | None = None
    budget: Budget | None = None
    refusals: tuple[LeewardError, ...] = ()

    @property
    def epsilon(self) -> str:
        """The smallest ε that was found, or nothing."""
        return "" if self.found is None else number_text(self.found.asked.epsilon)


@dataclass(frozen=True)
class Saving:
    """Where the plan is to be saved, where it was, or why not."""

    name: str
    saved: Path | None = None
    commands: str = ""
    refusals: tuple[LeewardError, ...] = ()


@dataclass(frozen=True)
class View:
    """The draft, what follows from it, and what is refused, by control."""

    path: Path
    draft: Draft
    request: Request | None
    result: Result
    problems: Mapping[str, list[LeewardError]]

    policies = POLICIES
    words = IN_SHORT
    mechanisms = MECHANISMS
    sliders = SLIDERS

    @property
    def few(self) -> bool:
        """Whether every table is shown open."""
        return len(self.draft.tables) <= FEW

    @property
    def controls(self) -> tuple[str, ...]:
        """The names of all controls beside which something may be refused."""
        return tuple(controls(len(self.draft.tables)))

    @property
    def profile_words(self) -> str:
        """What mean errors are taken over."""
        return self.result.outlook.profile.words

    @property
    def given_sizes(self) -> bool:
        """Whether the plan names sizes of its own."""
        return self.result.outlook.profile.given

    @property
    def first_problem(self) -> str:
        """The place on the page where the first refusal is told."""
        named = next((name for name in self.controls if name in self.problems), "")
        return "elsewhere" if "" in self.problems else f"problem-{named}"

    @property
    def uneven(self) -> bool:
        """Whether equal shares would help: others are written, or some are refused."""
        shares = [table.share for table in self.draft.tables]
        fields = ("tables", *(f"tables[{number}].share" for number in range(len(shares))))
        refused = any(field in self.problems for field in fields)
        return not self.draft.equal or (refused and any(shares))

    def marked(self, number: int) -> bool:
        """Whether something is refused at a field of a table."""
        return any(field.startswith(f"tables[{number}].") for field in self.problems)

    def troubles(self, number: int) -> list[LeewardError]:
        """What is refused for the sake of a table at a field that is not its own."""
        own, name = f"tables[{number}].", self.draft.tables[number].name
        return [
            one
            for field, several in self.problems.items()
            for one in several
            if not field.startswith(own) and str(one.value).endswith(f" for table {name}")
        ]

    @property
    def refused(self) -> int:
        """How many things are refused."""
        return sum(map(len, self.problems.values()))

    def offered(self, chosen: Iterable[str]) -> list[tuple[str, Attribute | None]]:
        """Attributes to tabulate by: chosen ones in their order, then the others."""
        codebook = self.result.outlook.codebook
        declared = {} if codebook is None else codebook.attributes
        free = [name for name, one in declared.items() if one.may_be_tabulated]
        names = dict.fromkeys([*chosen, *free])
        return [(name, declared.get(name)) for name in names]


def make_view(
    loaded: Loaded, request: Request, draft: Draft, ledger: Path | None, *, first: bool
) -> View:
    """What follows from a draft; what is wrong with the file itself is told at first."""
    asked, problems = draft.request(request)
    ahead = NOTHING if asked is None else outlook(asked, loaded.path)
    told = [*(loaded.refusals if first else ()), *problems, *ahead.refusals]
    result = make_result(ahead, ledger)
    found = by_field(told, controls(len(draft.tables)))
    return View(loaded.path, draft, asked, result, found)
