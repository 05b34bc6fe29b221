"""Pages that are run: their files are written, their commands executed, their outputs compared.

The convention, for readers who write a page:

* A fence with a title, such as ```yaml title="plan.yaml", is a file, written where it stands.
* In a ```console fence a line that begins with `$ ` is a command; what follows is its output.
  A command must end with the exit code 0, unless the next one is `$ echo $?`.
* A ```python fence is executed; a ```text fence right behind it is its output.
* `…` stands for what differs from run to run: inside a line for any text, alone on a line for
  any number of lines.
* `<!-- not run -->` on the line above a fence leaves it out.
"""

import contextlib
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from typer.testing import CliRunner

from leeward.interface.commands.app import build

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?P<skip><!-- not run -->\n)?^```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^```$",
    flags=re.DOTALL | re.MULTILINE,
)
BESIDES = ("cat", "cp", "head", "ls", "mkdir", "rm", "sha256sum", "grep", "sed")
"""Commands of the system that a page may use beside leeward."""


@dataclass(frozen=True)
class Block:
    """One fence of a page."""

    kind: str
    title: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """The fences that are run, in order."""
    found = FENCE.finditer(page.read_text(encoding="utf-8"))
    return [Block(one["kind"], one["title"], one["text"]) for one in found if not one["skip"]]


def is_run(page: Path) -> bool:
    """Whether a page has commands."""
    return any(block.kind == "console" for block in blocks(page))


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console fence with the output that is shown."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more.removeprefix("> ")
        yield command, output


def agrees(shown: str, real: str) -> bool:
    """Whether an output is the one shown, where `…` stands for anything."""
    lines = [re.escape(line.rstrip()).replace("…", ".*") for line in shown.strip().splitlines()]
    pattern = "\n".join("(?:.*\n)*?.*" if line == ".*" else line for line in lines)
    plain = "\n".join(line.rstrip() for line in real.strip().splitlines())
    return re.fullmatch(pattern, plain) is not None


@dataclass
class Reader:
    """Somebody who does what a page says, in the present folder."""

    code: int = 0
    names: dict[str, object] = field(default_factory=dict)

    def follow(self, page: Path) -> None:
        """Run everything in order."""
        waiting = ""
        for block in blocks(page):
            if block.title is not None:
                path = Path(block.title)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.kind == "console":
                self._type(block)
            elif block.kind == "python":
                waiting = self._execute(block.text)
                assert waiting, block.text
            elif block.kind == "text" and waiting:
                assert agrees(block.text, waiting), waiting
                waiting = ""

    def _type(self, block: Block) -> None:
        typed = [*commands(block), ("", "")]
        for (command, shown), (following, _) in pairwise(typed):
            real = self._run(command)
            assert agrees(shown, real), f"$ {command}\n{real}"
            assert self.code == 0 or following == "echo $?", f"$ {command}: {self.code}\n{real}"

    def _run(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] == "leeward":
            result = CliRunner().invoke(build(), words[1:])
            self.code = result.exit_code
            return result.output
        if command == "echo $?":
            code, self.code = self.code, 0
            return str(code)
        assert words[0] in BESIDES, command
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        self.code = done.returncode
        return done.stdout + done.stderr

    def _execute(self, code: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, "page", "exec"), self.names)  # noqa: S102 (our own page)
        return out.getvalue()
