"""`leeward local`: surveys whose answers are randomised by those who give them."""

import sys
from collections.abc import Iterable
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.errors import InvalidParameter
from leeward.interface.commands.app import group
from leeward.interface.commands.options import AsJson, SurveyFile
from leeward.interface.commands.screen import note, say, show
from leeward.publishing.bundle.disk import write_new, writing
from leeward.systems.local.response import Report, draw_report, own_report, read_stratum
from leeward.systems.local.result import aggregate
from leeward.systems.local.result_folder import write_result
from leeward.systems.local.result_page import lines
from leeward.systems.local.survey import Survey, read_survey
from leeward.systems.local.survey_page import page

ASKED = "-"
AGAIN = (
    "This is the report that was drawn before; answers were not looked at. A second draw would "
    "cost epsilon again."
)


Page = Annotated[Path, typer.Option(help="The HTML file to write; it must not exist.")]
Answers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CODE",
        help="The answer; of several questions NAME=CODE for each. Left out or -, it is asked "
        "for without echo and does not stand in the shell's history.",
    ),
]
Stratum = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=CODE", help="A public attribute; all of them, or none."),
]
ReportFile = Annotated[
    Path | None, typer.Option(help="The report's file. Left out, it is printed.")
]
Reports = Annotated[
    Path, typer.Argument(help="A folder of report files, or one file with a report a line.")
]
Result = Annotated[Path, typer.Option(help="The result's folder; it must not exist.")]


def page_command(survey: SurveyFile, *, out: Page) -> None:
    """Write a page that randomises answers in the browser of the person who is asked.

    It is one file without a network: mail it, or put it on any server. It saves or prints a report
    that `leeward local aggregate` reads, and never the answer.

    Example: leeward local page survey.yaml --out survey.html
    """
    write_new(out, page(read_survey(survey)).encode())
    say(f"Page: {out}")


def encode_command(
    survey: SurveyFile, *, answer: Answers = None, stratum: Stratum = None, out: ReportFile = None
) -> None:
    """Randomise your answer and write the report; run again, it returns the same report.

    The report is kept in your state folder without the answer. Every later call returns it,
    whatever --answer and --out say: a second draw would cost epsilon again.

    Example: leeward local encode survey.yaml --answer - --out report.json
    """
    questions = read_survey(survey)
    for sentence in questions.sentences:
        note(sentence)

    report, new = own_report(questions, lambda: _drawn(questions, answer, stratum))
    if not new:
        note(AGAIN)
    content = report.to_bytes(questions)
    if out is None:
        say(content.decode().rstrip("\n"))
        return
    with writing(out):
        written_before = out.is_file() and out.read_bytes() == content
    if not written_before:  # a file that has the report already is left as it is
        write_new(out, content)
    note(f"{out}: send this file. It holds the randomised answer alone.")


def _drawn(survey: Survey, given: list[str] | None, stratum: list[str] | None) -> Report:
    """A new report; the stratum is checked before anything is drawn, and no error shows a code."""
    group = read_stratum(survey, _pairs("--stratum", stratum or ()))
    names = [question.name for question in survey.questions]
    if not given or given == [ASKED]:
        answers = {}
        for question in survey.questions:
            codes = question.answers.codes
            listed = ", ".join(codes[:20]) + (", …" if len(codes) > 20 else "")
            prompt = f"{question.text} ({listed}; not shown): "
            typed = getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
            answers[question.name] = typed.strip()
    elif len(names) == 1 and len(given) == 1:
        answers = {names[0]: given[0]}
    else:
        answers = _pairs("--answer", given)
        if set(answers) != set(names) or len(given) != len(names):
            every = "Nothing was drawn. Answer all of them"
            raise InvalidParameter(
                "--answer",
                rule=f"must answer each question once, as NAME=CODE: {', '.join(names)}",
                value="others (not shown)",
                next_step=f"{every}; which one is reported is drawn."
                if survey.ask == "one"
                else f"{every}.",
            )
    return draw_report(survey, answers, group)


def _pairs(option: str, given: Iterable[str]) -> dict[str, str]:
    split = [text.partition("=") for text in given]
    if not all(equal for _, equal, _ in split):
        raise InvalidParameter(
            option,
            rule="must be NAME=CODE",
            value="something else (not shown)",
            next_step="Nothing was drawn. Write the name, an equals sign and the code.",
        )
    return {name.strip(): code.strip() for name, _, code in split}


def aggregate_command(
    survey: SurveyFile, reports: Reports, *, out: Result, as_json: AsJson = False
) -> None:
    """Count the reports: estimates with margins, certificate and page in a new folder.

    Reports of another survey, ids that occur twice and files that are no reports are refused.

    Example: leeward local aggregate survey.yaml reports --out result
    """
    result = aggregate(read_survey(survey), reports)
    certificate, content = write_result(result, out), result.as_json()
    stated = certificate.model_dump(mode="json", exclude={"files", "survey"})
    numbers = {"result": str(out), **stated, "tables": content["tables"]}
    files = "result.json, result.csv, certificate.json, report.html"
    last = f"{out}: {files}; `leeward verify` checks."
    show((*lines(certificate, content), last), lambda: numbers, as_json=as_json)


local_app = group("local", encode=encode_command, page=page_command, aggregate=aggregate_command)
