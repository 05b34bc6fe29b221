"""Gallery: findings as pages that need no network, one for each attack and one that shows all."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from leeward.core.show.environment import template
from leeward.core.show.notebook import INTERNAL
from leeward.lab.attacks.attack_registry import story
from leeward.lab.attacks.finding import AttackFinding

INDEX, NUMBERS = "index.html", "attacks.json"


@dataclass(frozen=True)
class Run:
    """A finding, and what was given on the command line to get it."""

    finding: AttackFinding
    given: Mapping[str, Any] = field(default_factory=dict)
    data: Path | None = None
    files: Sequence[Path] = ()

    @property
    def name(self) -> str:
        """The name of the attack."""
        return self.finding.attack

    @property
    def command(self) -> str:
        """The command that repeats it."""
        options = [f"--with {quote(f'{key}={value}')}" for key, value in self.given.items()]
        data = [] if self.data is None else [f"--data {quote(str(self.data))}"]
        files = [quote(str(file)) for file in self.files]
        return " ".join(["leeward attack", self.name, *files, *options, *data])

    @property
    def story(self) -> Sequence[str]:
        """What the attacker has and does."""
        return story(self.name)


def files(runs: Sequence[Run], *, many: bool) -> dict[str, str]:
    """The files of a folder by name: the page of one run; of many one page each, and a gallery."""
    if many:
        pages = {INDEX: gallery(runs), **{f"{run.name}.html": page(run, INDEX) for run in runs}}
    else:
        pages = {INDEX: page(runs[0])}
    numbers = json.dumps(as_json(runs, many=many), indent=1, ensure_ascii=False) + "\n"
    return {**pages, NUMBERS: numbers}


def as_json(runs: Sequence[Run], *, many: bool) -> dict[str, Any] | list[dict[str, Any]]:
    """The finding of one run, or a list of those of many."""
    findings = [run.finding.as_json() for run in runs]
    return findings if many else findings[0]


def page(run: Run, up: str = "") -> str:
    """The page of one attack; `up` is the page that it was reached from."""
    mark = run.finding.mark
    return template("attacks/attack.html.j2").render(run=run, finding=run.finding, mark=mark, up=up)


def gallery(runs: Sequence[Run]) -> str:
    """The page with a card for each attack; it is internal as soon as one of them is."""
    mark = INTERNAL if any(run.finding.internal for run in runs) else None
    return template("attacks/gallery.html.j2").render(runs=runs, mark=mark)
