"""A mechanism is one file, one proof, one registry line, one audit line."""

from importlib import import_module
from pathlib import Path
from re import findall

import pytest

from leeward.core.mechanisms import REGISTRY
from leeward.lab.audit import LINES
from leeward.systems.local.channel_choice import METHODS
from tests.core.noise.test_independence import SAMPLERS
from tests.shape.source import ROOT, SRC

ROOMS = SRC / "leeward"
MOST_LINES = 400

OF_FILES = ("moments", "theil_sen", "row_counts", "row_choice")
"""Mechanisms that no plan names."""

FILES = {name: ROOMS / "core" / "mechanisms" / name for name in (*sorted(REGISTRY), *OF_FILES)}
FILES |= {name: ROOMS / "systems" / "local" / name for name in METHODS}
every_mechanism = pytest.mark.parametrize("name", FILES)


def test_there_are_mechanisms() -> None:
    assert REGISTRY


@every_mechanism
def test_a_mechanism_is_one_short_file(name: str) -> None:
    lines = FILES[name].with_suffix(".py").read_text().splitlines()
    assert 0 < len(lines) <= MOST_LINES


@every_mechanism
def test_a_mechanism_has_a_proof(name: str) -> None:
    proof = FILES[name].with_suffix(".proof.md").read_text()
    assert [part for part in ("Precondition", "Claim", "Proof") if part not in proof] == []


EXACT_DRAWS = ROOMS / "core" / "noise" / "sampling.proof.md"
OWN_NOISE = "noise of its own"

CHOOSING = {"exact_selection.SecretSelection.chosen", "exact_selection.SecretSelection.flipped"}
"""They draw by functions of the table only."""


def functions(text: str) -> set[str]:
    """What a text names in `leeward.core.noise`, such as `block_draws.RowBits.read`."""
    return {name for name in findall(r"`([a-z_]+(?:\.\w+)+)`", text) if not name.endswith(".py")}


def section(proof: Path) -> str:
    """The paragraphs of a proof on noise of its own."""
    _, _, text = proof.read_text(encoding="utf-8").partition("**Noise of its own.** By")
    return text.partition("\n## ")[0]


def test_the_proof_of_independence_names_every_sampler_and_its_test() -> None:
    named = functions(section(EXACT_DRAWS))
    assert {name.partition(",")[0] for name in SAMPLERS} <= named | CHOOSING
    assert [name for name in named if not exists(name)] == []
    (test,) = findall(r"`(tests/\S+\.py)`", section(EXACT_DRAWS))
    assert (ROOT / test).exists()


def exists(name: str) -> bool:
    module, *parts = name.split(".")
    value: object = import_module(f"leeward.core.noise.{module}")
    for part in parts:
        value = getattr(value, part, None)
    return value is not None


@pytest.mark.parametrize("name", REGISTRY)
def test_the_proof_of_a_mechanism_names_what_draws_its_noise(name: str) -> None:
    lines = FILES[name].with_suffix(".proof.md").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if OWN_NOISE in line)
    assert functions(line)
    assert functions(line) <= set(SAMPLERS)


@every_mechanism
def test_a_mechanism_has_an_audit_line(name: str) -> None:
    assert name in {line.mechanism for line in LINES}
