"""Description: all that synthetic rows are drawn from. It is the whole seam.

`description.json` holds the domain, the released counts with their noise, the fitted network, the
released total, the guarantee with its sentences, the charge, and warnings. Nothing else of the file
is kept. It may be published if an account was charged for it; otherwise it is INTERNAL.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leeward.core.codebook.yaml_document import read_text
from leeward.core.errors import BadFile
from leeward.core.exact import printed
from leeward.core.privacy import Guarantee
from leeward.core.privacy.sentences import NOT_CHARGED, OTHER_RELEASES_IN_FULL, of_rows
from leeward.core.privacy.words import READING
from leeward.publishing.bundle.paid_folder import marked
from leeward.publishing.bundle.witness import Witness, read_witness
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.drawing import BayesianNetwork
from leeward.systems.synth.measurer import Margin

FORMAT = "leeward synthetic description 2"

READS_NOTHING = (
    "No row of the file was read: values are uniform over the codebook, nothing is spent, and "
    "nothing about the file is told but that it has these columns."
)
FROM_CLASSES = (
    "Numbers are uniform inside the classes of the description; a value that the codebook has no "
    "code for is missing."
)
MOST_LISTS = 1 << 19
"""Maximum number of lists and mappings of a stranger's description."""


@dataclass(frozen=True)
class Fit:
    """What a method finds: a network, the released total if there is one, and its measurements."""

    network: BayesianNetwork
    total: float | None
    margins: tuple[Margin, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Provenance:
    """The guarantee of a description, and who paid for it.

    Either `charge` or `uncharged`, the reason for none, is given where rows were read; neither
    where none was. `public` is the SHA-256 of the public table that `nist` selects on.
    """

    guarantee: Guarantee | None = None
    charge: Witness | None = None
    uncharged: str | None = None
    public: str | None = None

    def __post_init__(self) -> None:
        given = (self.charge is not None) + (self.uncharged is not None)
        if given != (self.guarantee is not None):
            raise ValueError("what reads rows is charged, or a reason for no charge is given")

    @property
    def internal(self) -> bool:
        """Whether it must stay inside."""
        return self.uncharged is not None

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said about it."""
        if self.guarantee is None:
            return (READS_NOTHING,)
        paid = OTHER_RELEASES_IN_FULL if self.uncharged is None else NOT_CHARGED
        of_public = [] if self.public is None else [
            "Which tables were measured follows from a table that was named as public (SHA-256 of "
            f"its file: {self.public}). Nothing is promised about the people in that table."
        ]  # fmt: skip
        return (*of_rows(self.guarantee), *of_public, FROM_CLASSES, paid)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        stated: dict[str, str] | None = None
        if self.guarantee is not None:
            loss = self.guarantee
            parts = {"epsilon": loss.epsilon, "delta": loss.delta, "rho": loss.rho}
            stated = {"policy": loss.policy.name, **{key: str(part) for key, part in parts.items()}}
            stated |= {"reading": str(loss.reading)} if loss.rho else {}
        return {
            "guarantee": stated,
            "charge": None if self.charge is None else self.charge.model_dump(mode="json"),
            "uncharged": self.uncharged,
            "public": self.public,
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Provenance":
        """From plain values."""
        guarantee, loss, charge = None, told["guarantee"], told["charge"]
        if loss is not None:
            parts = [printed(loss[name]) for name in ("epsilon", "delta", "rho")]
            reading = loss.get("reading", READING)
            guarantee = Guarantee(loss["policy"], None, *parts, reading=reading)
        witness = None if charge is None else read_witness(charge)
        return cls(guarantee, witness, told["uncharged"], told["public"])


@dataclass(frozen=True)
class Description:
    """A fit of a domain by a method, and what is promised about it."""

    method: str
    domain: Domain
    fit: Fit
    provenance: Provenance
    says: tuple[str, ...]

    @property
    def internal(self) -> bool:
        """Whether it must stay inside: no account was charged for it."""
        return self.provenance.internal

    @property
    def rows(self) -> int | None:
        """The released total as a number of rows; None where no total is released."""
        return None if self.fit.total is None else round(self.fit.total)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        names = self.domain.names
        return {
            "format": FORMAT,
            **marked(self.internal),
            "method": self.method,
            **self.provenance.as_json(),
            "says": list(self.says),
            "warnings": list(self.fit.warnings),
            "total": self.fit.total,
            "domain": self.domain.as_json(),
            "margins": [margin.as_json(names) for margin in self.fit.margins],
            "network": self.fit.network.as_json(self.domain),
        }

    def to_json(self) -> bytes:
        """The file: one line for each of the largest parts would help nobody."""
        return (json.dumps(self.as_json(), ensure_ascii=False) + "\n").encode()

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Description":
        """From plain values."""
        domain = Domain.read(told["domain"])
        network = BayesianNetwork.read(told["network"], domain)
        margins = tuple(Margin.read(margin, domain.names) for margin in told["margins"])
        fit = Fit(network, told["total"], margins, tuple(told["warnings"]))
        return cls(told["method"], domain, fit, Provenance.read(told), tuple(told["says"]))


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
