"""Economies of the laboratory, made once: its own, whose numbers are exact, and a small one."""

from collections.abc import Iterator

import pytest

from leeward.lab.attacks.world import AttackedWorld, made_up
from leeward.lab.economy import Economy


@pytest.fixture(scope="session")
def laboratory() -> Iterator[AttackedWorld]:
    with made_up() as world:
        yield world


@pytest.fixture(scope="session")
def village() -> Iterator[AttackedWorld]:
    with made_up(Economy(20_000, 1_000)) as world:
        yield world
