"""The command itself: help, version, wrong options, and refusals in one line."""

import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from leeward.cli import main
from leeward.cli.app import app
from leeward.errors import InvalidParameter


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


def test_the_version_is_that_of_the_package(runner: CliRunner) -> None:
    result = runner.invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"leeward {version('leeward')}\n"


def test_help_lists_the_commands(runner: CliRunner) -> None:
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "audit" in result.stdout
    assert "--version" in result.stdout


def test_no_command_shows_the_help(runner: CliRunner) -> None:
    assert "audit" in runner.invoke(app, []).output


@pytest.mark.parametrize("wrong", [["--no-such-option"], ["audit", "--slow"], ["adit"]])
def test_an_unknown_option_or_command_is_a_usage_error(runner: CliRunner, wrong: list[str]) -> None:
    result = runner.invoke(app, wrong)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage" in result.stderr


def refuse(*, quick: bool) -> None:
    raise InvalidParameter("quick", rule="must be false", value=quick, next_step="Leave it out.")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["leeward", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_a_refusal_is_one_line_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("leeward.cli.audit.audit", refuse)
    assert run(monkeypatch, "audit", "--quick") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "leeward: quick: must be false; got True. Leave it out.\n"


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*, quick: bool) -> None:
        raise ArithmeticError(quick)

    monkeypatch.setattr("leeward.cli.audit.audit", fail)
    monkeypatch.setattr(sys, "argv", ["leeward", "audit"])
    with pytest.raises(ArithmeticError):
        main()


def test_main_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("leeward ")
