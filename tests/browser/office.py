"""An office that works with real commands: made-up tables, a plan, a ledger, bundles, the page."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]+/[0-9a-f]{64}/")
PATIENCE = 120


@dataclass(frozen=True)
class Office:
    """A folder in which commands run."""

    folder: Path

    def run(self, *arguments: str, folder: Path | None = None) -> str:
        """What a command prints; it must end well."""
        done = subprocess.run(
            command(*arguments),
            cwd=folder or self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def planned(self, plan: str, *more: str) -> dict[str, Any]:
        """What `leeward plan --json` says."""
        answer: dict[str, Any] = json.loads(self.run("plan", plan, "--json", *more))
        return answer

    @contextmanager
    def serving(self, *arguments: str) -> Iterator[str]:
        """The address of a page, which is stopped by Ctrl-C in the end and must end well."""
        page = subprocess.Popen(
            command("serve", *arguments),
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert page.stdout is not None
            found = ADDRESS.search(page.stdout.readline())
            assert found is not None
            yield found[0]
            assert page.poll() is None, "the page went down"
        finally:
            page.send_signal(signal.SIGINT)
            left, _ = page.communicate(timeout=PATIENCE)
        assert (page.returncode, left) == (0, "")


def command(*arguments: str) -> list[str]:
    """`leeward` as a person starts it, also where a shell has Ctrl-C ignored."""
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from leeward.interface.commands import start; start()"
    )
    return [sys.executable, "-c", start, *arguments]
