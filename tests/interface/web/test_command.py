"""`leeward serve` as a process: its address, its end, and what it refuses."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leeward.core.installation import hint
from leeward.interface.commands.app import build
from leeward.interface.commands.serve_command import opened
from leeward.interface.web.server import listen
from tests.interface.web.serving import PATIENCE

START = "from leeward.interface.commands import start\nstart()"
ADDRESS = re.compile(r"http://127\.0\.0\.1:([0-9]+)/([0-9a-f]{64})/\n")


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """The process with the port and the token that it printed; ended whatever happens."""
    command = [sys.executable, "-c", START, "serve", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        found = ADDRESS.fullmatch(process.stdout.readline())
        assert found is not None
        yield process, int(found[1]), found[2]
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def get(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_at_the_printed_address_until_it_is_stopped(
    plan: Path, ledger: Path, sign: signal.Signals
) -> None:
    with started(plan.parent) as (process, port, token):
        status, text = get(port, f"/{token}/plan")
        assert status == 200
        assert "by_sector" in text  # plan.yaml and ledger.sqlite of the folder
        assert "Left after" in text
        assert get(port, "/plan")[0] == 404
        process.send_signal(sign)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    assert out == ""
    assert err.splitlines() == [
        "Open this address in a browser on this machine. Ctrl-C stops the page.",
        "Stopped.",
    ]
    assert ledger.exists()


def test_it_stops_although_a_browser_keeps_its_connection(tmp_path: Path) -> None:
    with started(tmp_path) as (process, port, token):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", f"/{token}/plan")
        assert connection.getresponse().read()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        connection.close()
        assert process.returncode == 0


def test_the_token_is_another_each_time(tmp_path: Path) -> None:
    with started(tmp_path) as (_, _, one), started(tmp_path) as (_, _, other):
        assert one != other
        assert len(set(one)) > 4


def test_it_listens_on_this_machine_alone() -> None:
    with listen(0) as listening:
        assert listening.family == socket.AF_INET
        assert listening.getsockname()[0] == "127.0.0.1"


def refused(*arguments: str) -> tuple[int, str]:
    """How the command ends where it cannot serve."""
    result = CliRunner().invoke(build(), ["serve", *arguments])
    assert result.stdout == ""
    return result.exit_code, result.stderr


def test_a_port_that_is_taken_is_refused() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        code, words = refused("--port", str(port))
    assert code == 1
    assert words == (
        f"leeward: --port: must be free; got {port}, which another program uses. "
        "Choose another port, or leave it out for any free one.\n"
    )


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_number_that_is_no_port_is_wrong_usage(port: str) -> None:
    assert refused("--port", port)[0] == 2


@pytest.mark.parametrize("option", ["--host", "--address", "--bind", "--listen"])
def test_there_is_no_option_for_another_address(option: str) -> None:
    assert refused(option, "0.0.0.0")[0] == 2  # noqa: S104 (refused)


def test_a_folder_that_is_not_there_is_refused() -> None:
    code, words = refused("--releases", "none")
    assert code == 1
    assert "--releases: must be a folder that exists" in words


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert refused() == (
        1,
        "leeward: serve: needs the packages starlette and uvicorn; "
        f"got no {package}. {hint('web')}\n",
    )


def test_no_other_command_loads_the_packages_of_the_page() -> None:
    code = (
        "import sys\nfrom leeward.interface.commands.app import COMMANDS, load\n"
        "[load(name) for name in COMMANDS]\n"
        "print(sorted({'starlette', 'uvicorn', 'anyio'} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ended.stdout == "[]\n"


def test_a_browser_is_opened_without_the_token_on_its_command_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = dict[str, object]()

    def note(address: str) -> bool:
        door = Path(address.removeprefix("file://"))
        seen.update(address=address, text=door.read_text(), mode=door.stat().st_mode & 0o777)
        seen["folder"] = door.parent.stat().st_mode & 0o777
        return True

    monkeypatch.setattr("webbrowser.open", note)
    with opened("http://127.0.0.1:1/secret/"):
        assert "secret" not in str(seen["address"])
        assert 'url=http://127.0.0.1:1/secret/"' in str(seen["text"])
        assert (seen["mode"], seen["folder"]) == (0o600, 0o700)
    assert not Path(str(seen["address"]).removeprefix("file://")).exists()


def test_a_plan_to_be_drafted_has_the_name_of_one(tmp_path: Path) -> None:
    code, words = refused(str(tmp_path / "mine.yaml"), "--tables", str(tmp_path))
    assert code == 1
    assert "plan: must be called plan.yaml to be drafted with --tables" in words
    assert "--tables: must be a folder" in refused("--tables", "none")[1]
