"""The command itself: help, version, wrong options, and refusals in one line."""

import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.core import TyperGroup
from typer.testing import CliRunner

from leeward.core.errors import InvalidParameter
from leeward.interface.commands import main
from leeward.interface.commands.app import COMMANDS, build, load


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


def test_the_version_is_that_of_the_package(runner: CliRunner) -> None:
    result = runner.invoke(build(), ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"leeward {version('leeward')}\n"


def test_help_lists_the_commands(runner: CliRunner) -> None:
    result = runner.invoke(build(), ["--help"])
    assert result.exit_code == 0
    assert "audit" in result.stdout
    assert "--version" in result.stdout


@pytest.mark.parametrize("command", [*COMMANDS, "ledger verify"])
def test_no_help_shows_types_of_python(runner: CliRunner, command: str) -> None:
    shown = runner.invoke(build(), [*command.split(), "--help"])
    assert shown.exit_code == 0
    assert not re.search(r"list\[|Path|<\w+[ ,]", shown.stdout), shown.stdout


def test_no_command_shows_the_help(runner: CliRunner) -> None:
    assert "audit" in runner.invoke(build(), []).output


@pytest.mark.parametrize("wrong", [["--no-such-option"], ["audit", "--slow"], ["adit"]])
def test_an_unknown_option_or_command_is_a_usage_error(runner: CliRunner, wrong: list[str]) -> None:
    result = runner.invoke(build(), wrong)
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
    monkeypatch.setattr("leeward.interface.commands.audit_command.audit", refuse)
    assert run(monkeypatch, "audit", "--quick") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "leeward: quick: must be false; got True. Leave it out.\n"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that meets something nobody expected, whose words hold a row."""

    def fail(*, quick: bool) -> None:
        raise ArithmeticError(f"SECRET row {quick}")

    monkeypatch.setattr("leeward.interface.commands.audit_command.audit", fail)


@pytest.mark.usefixtures("failing")
def test_the_words_of_an_unexpected_error_are_hidden(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "audit", "--quick") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("leeward: unexpected ArithmeticError; ")
    assert shown.err.endswith("--debug shows it.\n")
    assert "SECRET" not in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    "arguments", [["--debug", "audit"], ["audit", "--debug"], ["audit", "--debug", "--quick"]]
)
def test_debug_anywhere_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(monkeypatch, *arguments) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert "ArithmeticError: SECRET row" in shown


def test_debug_shows_the_traceback_of_a_refusal_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("leeward.interface.commands.audit_command.audit", refuse)
    assert run(monkeypatch, "audit", "--debug") == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert shown.endswith("leeward: quick: must be false; got False. Leave it out.\n")


@pytest.mark.usefixtures("failing")
def test_debugging_does_not_outlive_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "audit", "--debug") == 1
    assert "SECRET" in capsys.readouterr().err
    assert run(monkeypatch, "audit") == 1
    assert "SECRET" not in capsys.readouterr().err


GROUPS = {
    "ledger": ("create", "show", "verify", "commit", "withdraw"),
    "synth": ("table", "generate", "inspect", "linked"),
    "local": ("encode", "page", "aggregate"),
}
CALLED = [
    *([name] for name in COMMANDS if name not in GROUPS),
    *([name, one] for name, commands in GROUPS.items() for one in commands),
]


@pytest.mark.parametrize("command", CALLED, ids=" ".join)
def test_the_help_of_every_command_has_an_example(runner: CliRunner, command: list[str]) -> None:
    result = runner.invoke(build(), [*command, "--help"])
    assert result.exit_code == 0
    assert f"Example: leeward {' '.join(command)}" in " ".join(result.stdout.split())
    assert "<bool>" not in result.stdout


@pytest.mark.parametrize("name", GROUPS)
def test_every_command_of_a_group_is_among_them(name: str) -> None:
    group = load(name)
    assert isinstance(group, TyperGroup)
    assert tuple(group.commands) == GROUPS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_the_first_line_of_the_command(name: str) -> None:
    assert (load(name).help or "").partition("\n")[0] == COMMANDS[name]


def test_the_shell_completes_the_names_of_commands(runner: CliRunner) -> None:
    asked = {"_LEEWARD_COMPLETE": "complete_bash", "COMP_WORDS": "leeward re", "COMP_CWORD": "1"}
    shown = runner.invoke(build(), [], env=asked, prog_name="leeward").stdout
    assert shown.split() == ["release", "read", "regress", "report"]


def test_the_shell_completes_the_options_of_a_command(runner: CliRunner) -> None:
    words = "leeward release --co"
    asked = {"_LEEWARD_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "2"}
    shown = runner.invoke(build(), [], env=asked, prog_name="leeward").stdout
    assert shown.split() == ["--corrects"]


def test_python_runs_the_package() -> None:
    command = [sys.executable, "-m", "leeward", "--version"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == (
        f"leeward {version('leeward')}\n"
    )


def test_main_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("leeward ")
