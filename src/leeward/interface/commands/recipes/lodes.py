"""LODES: jobs by place of work (WAC), and where homes are known by residence (RAC) and both (OD).

The three tables of the office are read as they are. Attributes have the names and codes that
`leeward tidy --lodes` wants, so that the release fills every column of the files.
"""

from collections.abc import Iterator, Mapping

from leeward.core.errors import InvalidParameter
from leeward.interface.commands.recipes.documents import (
    CAP,
    CAP_FROM,
    codebook_text,
    filled,
    list_file,
    listed,
    plan_text,
)
from leeward.interface.commands.recipes.recipe import Account, Given, Recipe, Release, Tidied
from leeward.lab.economy.made_up_codes import EARNINGS, SECTORS, USUAL, WORKER_CODES

EPSILON, ALPHA = 4, "0.1"
"""The ε of a product; homes are a second one."""

OF_WORKERS = ("age", "race", "ethnicity", "schooling", "sex")
GROUPS = ("age", "earnings", "race", "ethnicity", "schooling", "sex")
"""What LODES breaks jobs down by."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "workplaces": ("workplace_id", "place", "sector"),
    "workers": ("worker_id", *OF_WORKERS),
    "jobs": ("worker_id", "workplace_id", "earnings"),
}
"""The columns of the three tables; where workers have `home`, RAC and OD are made too."""

HOME, ZONE, ZONE_OF = "home", "home_zone", "home_zone_of"
UNKNOWN = "unknown"
BEGUN = {
    HOME: f"code,label\n{UNKNOWN},Home not known\n",
    ZONE: f"code,label\n{UNKNOWN},Home not known\n",
    ZONE_OF: f"code,parent\n{UNKNOWN},{UNKNOWN}\n",
}
"""Lists of homes begin with a code for jobs of workers whose home is not known."""

MONTHS = 12
CAP_CENTS = CAP * 100 // MONTHS

COMMENT = """\
Jobs by place and sector, broken down as the LODES files are, with employers protected.
All breakdowns of a product are drawn at once and add up to one total."""
HOMES = """
homes: where people live and work, by zones of homes. Choose 8 to 20 public zones: under this policy
an employer's workers may all live in one of them."""
FOLDED = """
    # LODES has no column for unknown: a job without a listed code counts as this one."""


def recipe(given: Given) -> Recipe:
    """Plan, codebook and account of one period."""
    if given.period is None:
        raise InvalidParameter(
            "--period",
            rule="must be given for the recipe lodes",
            value="nothing",
            next_step="Write what the jobs are of, such as --period 2026Q2.",
        )
    homes = (HOME, ZONE, ZONE_OF) if given.homes else ()
    epsilon = EPSILON * (2 if given.homes else 1)
    return Recipe(
        tables={},
        texts={
            "codebook.yaml": codebook_text(_attributes(given.homes)),
            "plan.yaml": _plan(given, given.period, epsilon),
        },
        lists=("place", *homes),
        begun=BEGUN,
        columns=COLUMNS,
        accounts=(Account("lodes", "strong", str(epsilon), ALPHA),),
        releases=(Release("plan.yaml", "bundle"),),
        layouts=(),
        tidied=(Tidied("bundle", "tidy", "lodes"),),
    )


def _plan(given: Given, period: str, epsilon: int) -> str:
    head = {
        "workplaces": given.workplaces,
        "workers": given.workers,
        "jobs": given.jobs,
        "codebook": "codebook.yaml",
        "account": "lodes",
        "period": period,
    }
    protect = f"{{policy: strong, alpha: {ALPHA}, epsilon: {epsilon}}}"
    return plan_text(COMMENT + (HOMES if given.homes else ""), head, protect, _tables(given.homes))


def _tables(homes: bool) -> Iterator[str]:
    share = ", share: 1/2" if homes else ""
    yield _product("wac", ", ".join(GROUPS)) + share
    if homes:
        crossed = (f"[{ZONE}, {one}]" for one in GROUPS)
        yield _product("homes", ", ".join([ZONE, *crossed])) + share


def _product(name: str, breakdowns: str) -> str:
    cells = f"by: [place, sector], breakdowns: [{breakdowns}]"
    return f"name: {name}, {cells}, mechanism: joint_clipped"


def _attributes(homes: bool) -> Iterator[str]:
    yield filled("place", "workplaces")
    yield listed("sector", "workplaces", {one.code: one.label for one in SECTORS})
    for name in OF_WORKERS:
        usual = f'\n    other: "{USUAL[name]}"\n    null_as: "{USUAL[name]}"'
        codes = WORKER_CODES[name]
        written = listed(name, "workers", codes) if name != "sex" else _sex()
        yield written + FOLDED + usual
    if homes:  # the list of homes begins with unknown, whose zone is given
        yield filled(HOME, "workers", f"\n    other: {UNKNOWN}\n    null_as: {UNKNOWN}")
        origin = f"\n    from: {HOME}\n    map: {list_file(ZONE_OF)}"
        yield filled(ZONE, "workers", origin)
    yield _earnings()


def _sex() -> str:
    """M and F, as the economy has them, with the codes and labels that registers write."""
    codes = WORKER_CODES["sex"]
    texts = {**dict(zip("12", codes, strict=True)), **{v.lower(): k for k, v in codes.items()}}
    spelled = ", ".join(f'"{text}": {code}' for text, code in texts.items())
    return f"{listed('sex', 'workers', codes)}\n    spelled: {{{spelled}}}"


def _earnings() -> str:
    """Whole cents of a month in the three classes of LODES."""
    *lower, last = EARNINGS
    classes = {**{code: EARNINGS[code] for code in lower}, last: CAP_CENTS}
    return "\n    ".join(
        [
            "  earnings:",
            "table: jobs",
            "type: integer",
            "unit: cent",
            "period: month",
            f"cap: {CAP_CENTS}  # public: decided before the data are seen",
            f"cap_from: {CAP_FROM}, of a month",
            f"classes: {{{', '.join(f'{code}: {bound}' for code, bound in classes.items())}}}",
            f"null_as: {next(iter(EARNINGS))}  # what is no number counts here",
        ]
    )
