"""`leeward attack`: what an attacker learns, on made-up tables or on one's own."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from leeward.core.errors import InvalidParameter, LeewardError, raise_all
from leeward.core.installation import command
from leeward.core.show.notebook import INTERNAL
from leeward.core.show.progress import Silent
from leeward.interface.commands.screen import ProgressBar, note, progress, say_lines, show
from leeward.lab.attacks import attack_registry
from leeward.lab.attacks.attack_registry import ATTACK, ATTACKS, OF_FILES, attack_named, has_solver
from leeward.lab.attacks.gallery import INDEX, Run, files
from leeward.lab.attacks.gallery import as_json as answer
from leeward.lab.attacks.world import AttackedWorld, made_up, of_plan
from leeward.publishing.bundle.disk import appearing, write_file
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.plan.plan import read_plan

ALL, INTERVAL = "all", "interval"
OWNER, EVERYBODY = (0o600, 0o700), (0o644, 0o755)
"""Modes of files and folder."""

Name = Annotated[str | None, typer.Argument(help="The attack, or all; left out, they are listed.")]
Tables = Annotated[
    list[Path] | None, typer.Argument(help="For interval: published tables to examine.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="KEY=VALUE", help="A parameter; may be repeated."),
]
Data = Annotated[
    Path | None, typer.Option("--data", help="A plan: its own tables, CONFIDENTIAL output.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the pages; must not exist.")]
AsJson = Annotated[bool, typer.Option("--json", help="The findings as JSON.")]


def attack_command(
    name: Name = None,
    tables: Tables = None,
    *,
    settings: Settings = None,
    data: Data = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Try what an attacker learns from other protections, from ours and from nothing.

    Every attack runs on made-up tables. With --data it runs on the tables of a plan: then all that
    it finds is confidential, marked INTERNAL, and stays inside. No attack writes a bundle or
    charges an account.

    Example: leeward attack edge --out edge
    """
    if name is None:
        say_lines(_listed())
        return
    if out is not None:
        require_free(out)
    every = name == ALL
    names = _several(settings, data) if every else [name]
    given = {} if every else _settings(name, settings or (), data, tables or ())
    if data is not None:
        note(INTERNAL)
    with progress() as bar:
        runs = _run(names, given, data, tables or (), bar)
    if out is not None:
        file, folder = OWNER if any(run.finding.internal for run in runs) else EVERYBODY
        with appearing(out, folder) as hidden:  # the pages, all or none
            for path, content in files(runs, many=every).items():
                write_file(hidden / path, content.encode(), file)
    show(_lines(runs, out, brief=every), lambda: answer(runs, many=every), as_json=as_json)


def _listed() -> Iterator[str]:
    """Every attack, and how to call one."""
    width = max(map(len, ATTACKS))
    for name, entry in ATTACKS.items():
        marks = [*(["--data"] if entry.own else []), *(["extra attacks"] if entry.solver else [])]
        yield f"{name:{width}}  {entry.line}" + (f" [{', '.join(marks)}]" if marks else "")
    yield ""
    yield "[--data]: also runs on the tables of a plan. [extra attacks]: needs OR-Tools."
    yield "Type: leeward attack NAME, or leeward attack all --out gallery"


def _settings(
    name: str, written: Sequence[str], data: Path | None, tables: Sequence[Path]
) -> Mapping[str, Any]:
    """The parameters that were given; options that do not go with the attack are refused."""
    chosen = attack_named(name)
    if data is not None and not chosen.own:
        raise InvalidParameter(
            "--data",
            rule=f"is for attacks on tables; {name} has numbers of its own",
            value=repr(str(data)),
            next_step=f"Leave it out, or choose one of {', '.join(_own())}.",
        )
    if tables and (name != INTERVAL or data is not None):
        raise InvalidParameter(
            "TABLES",
            rule="are for interval alone, without --data",
            value=repr(str(tables[0])),
            next_step="Leave them out.",
        )
    return attack_registry.parameters(name, written, OF_FILES if tables else ATTACK)


def _own() -> Iterator[str]:
    return (name for name, entry in ATTACKS.items() if entry.own)


def _several(settings: Sequence[str] | None, data: Path | None) -> Sequence[str]:
    """The attacks of `all`; what is left out is said."""
    if settings:
        raise InvalidParameter(
            "--with",
            rule="sets a parameter of one attack; all runs each with its defaults",
            value=repr(settings[0]),
            next_step="Leave it out, or name one attack.",
        )
    chosen = list(ATTACKS)
    if data is not None:
        chosen = list(_own())
        rest = ", ".join(name for name in ATTACKS if name not in chosen)
        note(f"Left out, since they have numbers of their own: {rest}.")
    if not has_solver():
        missing = [name for name in chosen if ATTACKS[name].solver]
        chosen = [name for name in chosen if name not in missing]
        note(f"Left out, since OR-Tools is missing: {', '.join(missing)}. Type: "
             f"{command('attacks')}")  # fmt: skip
    return chosen


def _run(
    names: Sequence[str],
    given: Mapping[str, Any],
    data: Path | None,
    tables: Sequence[Path],
    bar: ProgressBar | Silent,
) -> list[Run]:
    """Every attack on one shared world, which is opened if one of them has tables."""
    if tables:
        return [Run(attack_registry.run_on_files(names[0], tables, **given), given, None, tables)]
    opened: AbstractContextManager[AttackedWorld | None] = nullcontext(None)
    if data is not None:
        bar.step("checking the rows")
        opened = of_plan(read_plan(data))
    elif any(ATTACKS[name].tables for name in names):
        bar.step("making up an economy")
        opened = made_up()
    runs, refused = [], list[LeewardError]()
    with opened as world:
        for at, name in enumerate(names):
            bar.step(f"{name}, {at + 1} of {len(names)}")
            try:
                runs.append(Run(attack_registry.run(name, world, **given), given, data))
            except LeewardError as refusal:
                refused.append(refusal)
                if len(names) > 1:
                    note(f"Left out: {name}. {refusal}")
    if not runs:
        raise_all(refused)
    return runs


def _lines(runs: Sequence[Run], out: Path | None, *, brief: bool) -> Iterator[str]:
    """What each attack found against other protections, ours, and nothing."""
    if any(run.finding.internal for run in runs):
        yield INTERNAL
    for finding in (run.finding for run in runs):
        ours, nothing = finding.against_leeward, finding.against_nothing
        yield f"{finding.attack}: {finding.shown}" if brief else finding.shown
        yield finding.sentence
        yield f"Leeward: {ours.shown}. {ours.sentence}"
        yield f"No release: {nothing.shown}. {nothing.sentence}"
        yield from ("",) if brief else finding.remarks
    if out is not None:
        yield f"The page is {out / INDEX}."
