"""`leeward init`: a codebook and a plan to start from, made from table headers."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.cli.draft import Draft, codebook_lines, plan_lines
from leeward.cli.screen import say
from leeward.engines import connect
from leeward.engines.address import seen_from
from leeward.errors import BadFile, raise_all
from leeward.model.resources import read_resources

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"


def init_command(
    workplaces: Annotated[str, typer.Option(help="The table of workplaces.")],
    workers: Annotated[str, typer.Option(help="The table of workers.")],
    jobs: Annotated[str, typer.Option(help="The table of jobs.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for codebook and plan.")] = Path(),
    list_codes: Annotated[
        bool,
        typer.Option("--list-codes", help="Fill code lists of public workplace columns from data."),
    ] = False,
    engine: Annotated[
        str | None, typer.Option(help="What reads the tables: duckdb or spark.")
    ] = None,
) -> None:
    """Write a codebook and a plan from the headers of three tables.

    Only column names and types are read. Lists that have no standard are left for you to fill;
    --list-codes fills those of workplace columns that are usually public. Lists of workers'
    codes are never taken from the data.

    Example: leeward init --workplaces w.parquet --workers p.parquet --jobs j.parquet
    """
    sources = {"workplaces": workplaces, "workers": workers, "jobs": jobs}
    resources = read_resources({"engine": engine}, Path())
    with connect(sources, Path(), resources) as opened:
        draft = Draft(opened.describe())
        lists = {
            one.list_file: opened.codes(one.name) if list_codes and one.public else ()
            for one in draft.to_fill
        }
    located = {name: seen_from(source, out) for name, source in sources.items()}
    located |= {} if engine is None else {"engine": engine}
    read = [file for file, codes in lists.items() if codes]
    texts = {
        CODEBOOK: "\n".join(codebook_lines(draft, read)) + "\n",
        PLAN: "\n".join(plan_lines(draft, located)) + "\n",
        **{file: _list_text(codes) for file, codes in lists.items()},
    }
    raise_all(_existing(out / name) for name in texts if (out / name).exists())
    for name, text in texts.items():
        _write(out / name, text)
    for line in _next_steps(out, read, [file for file in lists if file not in read]):
        say(line)


def _list_text(codes: Iterable[str]) -> str:
    quoted = (code.replace('"', '""') for code in codes)
    return "code,label\n" + "".join(f'"{code}","{code}"\n' for code in quoted)


def _existing(path: Path) -> BadFile:
    return BadFile(
        "--out",
        rule="must not hold the file already",
        value=repr(str(path)),
        next_step="Choose another folder, or remove the file.",
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a folder that can be written ({error.strerror})",
            value=repr(str(path)),
            next_step="Choose another folder.",
        ) from None


def _next_steps(out: Path, read: list[str], empty: list[str]) -> Iterator[str]:
    yield f"Wrote {out / CODEBOOK} and {out / PLAN}."
    if read:
        yield "These code lists were read from the data, from workplace columns that are usually"
        yield "public. Somebody must confirm that their values are public:"
        yield from (f"  {out / file}" for file in read)
    if empty:
        yield "Fill these code lists (header code,label; one row for each code), or delete their"
        yield "attributes:"
        yield from (f"  {out / file}" for file in empty)
    yield "Then: decide which workplace attributes are public, choose tables and epsilon, and run"
    yield f"  leeward plan {quote(str(out / PLAN))}"
