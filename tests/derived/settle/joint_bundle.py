"""A made-up joint release: true tables, noise that adds up, and the bundle that holds them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Flag, Marginal, Published
from leeward.publishing.bundle import BundleWriter, CertifiedTable, MarginStatement, TableGuarantee
from leeward.publishing.bundle.table_statements import JointStatement
from tests.publishing.bundle.made_up import GUARANTEE, certificate, dimension

PLACES, SECTORS = 30, 6
PLACE = dimension("place", [f"{one:03}" for one in range(PLACES)])
SECTOR = dimension("sector", [str(one) for one in range(11, 11 + SECTORS)])
AGE = dimension("age", ["A01", "A02", "A03"], "workers")
SCHOOLING = dimension("schooling", ["E1", "E2", "E3", "E4"], "workers")

TOTAL = Marginal("wac_total", (PLACE, SECTOR), ())
BY_AGE = Marginal("wac_age", (PLACE, SECTOR), (AGE,))
BY_SCHOOLING = Marginal("wac_schooling", (PLACE, SECTOR), (SCHOOLING,))
BOUND, DEVIATION = 20, 0.5

Integers = NDArray[np.int64]


def truth() -> dict[str, Integers]:
    """Shares by sector with a little of each workplace; of schooling a fifth code is left out."""
    draw = np.random.default_rng(5)
    sizes = np.floor(draw.lognormal(3.5, 1.2, PLACES * SECTORS)).astype(np.int64)
    found = {"wac_total": sizes[:, None]}
    for marginal, cells in ((BY_AGE, 3), (BY_SCHOOLING, 5)):
        usual = np.tile(draw.dirichlet(np.full(cells, 4.0), SECTORS), (PLACES, 1))
        own = np.array([draw.dirichlet(60 * one + 0.1) for one in usual])
        jobs = np.array([draw.multinomial(n, p) for n, p in zip(sizes, own, strict=True)])
        found[marginal.name] = jobs[:, : marginal.worker_cells]
    return found


def released() -> dict[str, Integers]:
    """Noise of one deviation in every cell; ages add up to the total, schooling does not."""
    draw = np.random.default_rng(6)
    noisy = {
        name: one + np.round(draw.laplace(0, DEVIATION * BOUND / 2**0.5, one.shape)).astype(int)
        for name, one in truth().items()
    }
    noisy["wac_total"] = noisy["wac_age"].sum(axis=1, keepdims=True)
    return noisy


def write_joint(
    target: Path, *, unit: str | None = "bound", values: dict[str, Integers] | None = None
) -> Path:
    """A sealed bundle of three tables drawn together."""
    noisy = released() if values is None else values
    with BundleWriter(target) as bundle:
        done = []
        for marginal in (TOTAL, BY_AGE, BY_SCHOOLING):
            jobs = noisy[marginal.name]
            bounded = marginal is TOTAL and unit == "bound"
            noise = {"bound": np.full_like(jobs, BOUND)} if bounded else {}
            keys = np.arange(len(jobs), dtype=np.int64)
            flags = np.full(len(jobs), int(Flag.OK), np.int64)
            with bundle.table(marginal, margins=tuple(noise)) as writer:
                writer.write(Published(keys, jobs, flags, noise))
            told = joint(covers=marginal is not BY_SCHOOLING, unit=unit)
            done.append(certified(writer.facts(), told))
        bundle.seal(certificate(target.name, done))
    return target


def joint(*, covers: bool, unit: str | None) -> JointStatement:
    """What a table of the block says."""
    scale = {} if unit is None else {"unit": unit, "deviation": str(DEVIATION)}
    said = {"name": "wac", "covers": covers, **scale, "sentence": "Drawn together."}
    return JointStatement.model_validate(said)


def certified(facts: dict[str, object], joint: JointStatement) -> CertifiedTable:
    return CertifiedTable.model_validate(
        {
            **facts,
            "where": None,
            "mechanism": "joint_clipped",
            "parameters": {},
            "guarantee": TableGuarantee.of(GUARANTEE),
            "margins": MarginStatement(method="none", coverage=None, epsilon=None, note="None."),
            "bias": None,
            "joint": joint,
        }
    )
