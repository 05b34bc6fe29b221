"""Description: all that synthetic rows are drawn from. It may be published, and is the whole seam.

`description.json` holds the domain, the released counts with their noise, the fitted network, the
released total, the guarantee with its sentences, and warnings. Nothing else of the file is kept.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leeward.errors import BadFile
from leeward.exact import printed
from leeward.model.document import read_text
from leeward.privacy import Guarantee
from leeward.privacy.words import READING
from leeward.synth.domain import Domain
from leeward.synth.measuring import Margin
from leeward.synth.network import Network

FORMAT = "leeward synthetic description 1"
MOST_LISTS = 1 << 19
"""Maximum number of lists and mappings of a stranger's description."""


@dataclass(frozen=True)
class Fit:
    """What a method finds: a network, the released total if there is one, and its measurements."""

    network: Network
    total: float | None
    margins: tuple[Margin, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Description:
    """A fit of a domain by a method, and what is promised about it; None where nothing is read."""

    method: str
    domain: Domain
    fit: Fit
    guarantee: Guarantee | None
    says: tuple[str, ...]

    @property
    def rows(self) -> int | None:
        """The released total as a number of rows; None where no total is released."""
        return None if self.fit.total is None else round(self.fit.total)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        names = self.domain.names
        return {
            "format": FORMAT,
            "method": self.method,
            "guarantee": None if self.guarantee is None else _told(self.guarantee),
            "says": list(self.says),
            "warnings": list(self.fit.warnings),
            "total": self.fit.total,
            "domain": self.domain.as_json(),
            "margins": [one.as_json(names) for one in self.fit.margins],
            "network": self.fit.network.as_json(self.domain),
        }

    def to_json(self) -> bytes:
        """The file: one line for each of the largest parts would help nobody."""
        return (json.dumps(self.as_json(), ensure_ascii=False) + "\n").encode()

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Description":
        """From plain values."""
        domain = Domain.read(told["domain"])
        network = Network.read(told["network"], domain)
        margins = tuple(Margin.read(one, domain.names) for one in told["margins"])
        fit = Fit(network, told["total"], margins, tuple(told["warnings"]))
        promised = None if told["guarantee"] is None else _read(told["guarantee"])
        return cls(told["method"], domain, fit, promised, tuple(told["says"]))


def _told(guarantee: Guarantee) -> dict[str, str]:
    parts = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return {
        "policy": guarantee.policy.name,
        **{name: str(one) for name, one in parts.items()},
        **({"reading": str(guarantee.reading)} if guarantee.rho else {}),
    }


def _read(told: Mapping[str, str]) -> Guarantee:
    epsilon, delta, rho = (printed(told[name]) for name in ("epsilon", "delta", "rho"))
    return Guarantee(
        told["policy"], None, epsilon, delta, rho, reading=told.get("reading", READING)
    )


def read_description(path: Path) -> Description:
    """A description from its file; anything else is refused."""
    text = read_text(path, "DESCRIPTION")
    try:
        told = json.loads(text) if text.count("[") + text.count("{") <= MOST_LISTS else {}
        if told["format"] == FORMAT:
            return Description.read(told)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        pass
    raise BadFile(
        "DESCRIPTION",
        rule=f"must be a whole description of the format {FORMAT!r}",
        value=repr(str(path)),
        next_step="Give the description.json that `leeward synth table` wrote.",
    )
