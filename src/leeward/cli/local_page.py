"""`leeward local page`: a survey as one HTML file that randomises answers in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle.disk import write_new
from leeward.cli.screen import say
from leeward.local.page import page
from leeward.local.survey import read_survey


def page_command(
    survey: Annotated[Path, typer.Argument(help="The survey, a YAML file.")],
    *,
    out: Annotated[Path, typer.Option(help="The HTML file to write; it must not exist.")],
) -> None:
    """Write a page that randomises answers in the browser of the person who is asked.

    It is one file without a network: mail it, or put it on any server. It saves or prints a report
    that `leeward local aggregate` reads, and never the answer.

    Example: leeward local page survey.yaml --out survey.html
    """
    write_new(out, page(read_survey(survey)).encode())
    say(f"Page: {out}")
