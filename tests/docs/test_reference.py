"""The reference names everything that exists, and nothing that does not."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel

from leeward.core import errors
from leeward.core.codebook import ROW_RULES, Flag, read_codebook
from leeward.core.codebook.declaration import WrittenCodebook
from leeward.core.codebook.row_rules import NULL_RULES, NUMBER_RULES
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.core.privacy.policy import POLICIES
from leeward.interface.commands import screen
from leeward.interface.commands.app import COMMANDS as LISTED
from leeward.interface.commands.app import build, load
from leeward.lab.evaluate.classical import CLASSICAL_COLUMNS
from leeward.lab.evaluate.point import COLUMNS
from leeward.lab.evaluate.regressions import REGRESSION_COLUMNS
from leeward.publishing.bundle import bundle_files
from leeward.publishing.bundle.bundle_files import stamped_files
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.paid_folder import DrawnStatement, FolderCertificate
from leeward.publishing.bundle.rows import MARGINS
from leeward.publishing.engines import column_checks, validation
from leeward.publishing.ledger.entry import KINDS
from leeward.publishing.ledger.subject import SUBJECT_PARTS
from leeward.publishing.plan.request import Request
from leeward.systems.local.channel_choice import AUTO, METHODS
from leeward.systems.local.result import COLUMNS as RESULT_COLUMNS
from leeward.systems.local.result_folder import SEALED, SurveyCertificate
from leeward.systems.local.survey import WrittenSurvey
from tests.docs.page import ROOT, blocks

REFERENCE = ROOT / "docs" / "reference"


def section(page: Path, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    parts = re.split(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def documented(page: str, heading: str) -> set[str]:
    """The names in the first column of the tables under a heading."""
    lines = section(REFERENCE / page, heading).splitlines()
    return {one for line in lines for one in re.findall(r"^\| `([^`]+)`(?: \||, )", line)}


def inner(annotation: object) -> tuple[type[BaseModel], str] | None:
    """The model inside an annotation, and how its keys are reached."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, "."
    for part in get_args(annotation):
        found = inner(part)
        if found is not None:
            origin = get_origin(annotation)
            way = "[]" if origin in (list, tuple) else ".NAME" if origin is dict else ""
            return found[0], way + found[1]
    return None


def keys(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """Every key of a document, with the way to it."""
    for name, field in model.model_fields.items():
        key = before + (field.alias or name)
        yield key
        part = inner(field.annotation)
        if part is not None:
            yield from keys(part[0], key + part[1])


@pytest.mark.parametrize(
    ("page", "heading", "model"),
    [
        ("plan.md", "Keys", Request),
        ("codebook.md", "Keys", WrittenCodebook),
        ("bundle.md", "Certificate", Certificate),
        ("survey.md", "Keys", WrittenSurvey),
        ("survey.md", "Certificate", SurveyCertificate),
    ],
)
def test_every_key_is_documented(page: str, heading: str, model: type[BaseModel]) -> None:
    assert documented(page, heading) == set(keys(model))


def test_every_key_of_a_sealed_folder_is_documented() -> None:
    """Parts that certificates have too are documented there."""
    drawn = {f"drawn.{name}" for name in DrawnStatement.model_fields}
    expected = {*FolderCertificate.model_fields, *drawn}
    assert documented("bundle.md", "Sealed folders") == expected


Command = Any  # the classes of Typer's commands are no part of its interface


def walked(command: Command, name: str) -> Iterator[tuple[str, Command]]:
    if command.params or not hasattr(command, "commands"):
        yield name, command
    for part, inside in getattr(command, "commands", {}).items():
        yield from walked(inside, f"{name} {part}")


PROGRAM: Command = typer.main.get_command(build())
PARTS = (part for name in LISTED for part in walked(load(name), f"leeward {name}"))
COMMANDS: dict[str, Command] = {"leeward": PROGRAM, **dict(PARTS)}


def parameters(command: Command) -> set[str]:
    given = [one for one in command.params if one.name != "help"]
    options = {opt for one in given if one.param_type_name == "option" for opt in one.opts}
    return options | {one.name.upper() for one in given if one.param_type_name == "argument"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name: str) -> None:
    assert documented("commands.md", name) == parameters(COMMANDS[name])


def test_every_command_has_its_section_and_no_other_does() -> None:
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (.*)$", text, flags=re.MULTILINE)) == set(COMMANDS)


def test_every_file_of_a_bundle_is_documented() -> None:
    stamped = stamped_files("NAME", ["TABLE"], described=True)
    files = {*stamped, bundle_files.CERTIFICATE, bundle_files.CHECKSUMS, bundle_files.REPORT}
    assert documented("bundle.md", "Files") == files


def test_every_measure_is_documented() -> None:
    measures = {*bundle_files.MEASURES, *MARGINS, bundle_files.ESTABLISHMENTS}
    assert documented("bundle.md", "Columns") == measures


def test_every_status_is_documented() -> None:
    assert documented("bundle.md", "Status") == {str(int(flag)) for flag in Flag}


def test_every_mechanism_is_documented() -> None:
    assert documented("plan.md", "Mechanisms") == {"auto", *IN_PLANS}


def test_every_method_column_and_file_of_a_survey_is_documented() -> None:
    assert documented("survey.md", "Methods") == {AUTO, *METHODS}
    assert documented("survey.md", "Columns of result.csv") == set(RESULT_COLUMNS)
    files = {*SEALED, bundle_files.CERTIFICATE, bundle_files.CHECKSUMS}
    assert documented("survey.md", "The result") == files


def test_every_policy_is_documented() -> None:
    assert documented("plan.md", "Policies") == set(POLICIES)


def test_every_kind_of_entry_is_documented() -> None:
    assert documented("ledger.md", "Entries") == set(KINDS)
    assert documented("ledger.md", "What an entry holds") == set().union(*KINDS.values())
    assert documented("ledger.md", "What a charge is for") == SUBJECT_PARTS


def test_every_kind_of_refusal_is_documented() -> None:
    refusals = {
        name
        for name, one in inspect.getmembers(errors, inspect.isclass)
        if issubclass(one, errors.LeewardError) and one is not errors.LeewardError
    }
    assert documented("errors.md", "Kinds of refusals") == refusals


def test_every_exit_code_is_documented() -> None:
    codes = {0, 2, screen.REFUSED, screen.FAILED_AFTER_CHARGE, screen.EXCEEDED}
    codes.add(screen.INTERRUPTED)
    assert documented("errors.md", "Exit codes") == {str(code) for code in codes}


def test_every_finding_of_the_check_is_documented() -> None:
    source = inspect.getsource(validation) + inspect.getsource(column_checks)
    for finding in documented("errors.md", "Data that fail the check"):
        assert (
            finding.replace("not in workers", "not in {table}").replace(
                "not in workplaces", "not in {table}"
            )
            in source
        )
    found = set(re.findall(r'Finding\("([^"]+)"', source))
    assert found <= documented("errors.md", "Data that fail the check")


def test_every_row_rule_is_documented() -> None:
    rules = {one.id for one in (*ROW_RULES, *NUMBER_RULES, *NULL_RULES)}
    assert documented("plan.md", "Rows that do not fit") == rules


def test_the_codebook_of_the_page_is_read_and_its_classes_are_as_shown(tmp_path: Path) -> None:
    page = REFERENCE / "codebook.md"
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "county.csv").write_text("code,label\n44001,Bristol\n")
    (tmp_path / "codes" / "county_state.csv").write_text("code,parent\n44001,44\n")
    (tmp_path / "codebook.yaml").write_text(blocks(page)[0].text)
    earnings = read_codebook(tmp_path / "codebook.yaml").attributes["earnings"]
    rows = re.findall(
        r"^\| ([\d, ]+) \| `(\w+)` \| (.*) \|$", section(page, "Numeric columns"), re.M
    )
    assert tuple((code, label) for _, code, label in rows) == tuple(
        zip(earnings.codes, earnings.labels, strict=True)
    )
    assert earnings.numbers is not None
    shown = [(int(number), code) for numbers, code, _ in rows for number in numbers.split(", ")]
    for number, code in shown:
        assert code == next(one for one, bound in earnings.numbers.bounds if number <= bound)


def test_a_missing_and_an_invented_key_are_noticed() -> None:
    known = documented("plan.md", "Keys")
    assert known - {"period"} != set(keys(Request))
    assert known | {"perriod"} != set(keys(Request))


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Points", COLUMNS),
        ("Regressions", REGRESSION_COLUMNS),
        ("Withholding and rounding", CLASSICAL_COLUMNS),
    ],
)
def test_every_column_of_an_evaluation_is_documented(
    heading: str, columns: tuple[str, ...]
) -> None:
    lines = section(REFERENCE / "evaluation.md", heading).splitlines()
    first = [line.split("|")[1] for line in lines if line.startswith("| `")]
    found = [one for cell in first for one in re.findall(r"`([^`]+)`", cell)]
    assert sorted(found) == sorted(columns)
