"""Glossary: every term of plan, page and report in plain words; the one source of all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from leeward.core.mechanisms.registry import REGISTRY
from leeward.core.show.interpretation import NOT_DISTINGUISHABLE


@dataclass(frozen=True)
class Term:
    """A term as it is written, and its meaning."""

    name: str
    meaning: str


TERMS: Mapping[str, Term] = {
    "epsilon": Term(
        "ε (epsilon), privacy loss",
        "The cost of a release. Of two sets of data that the policy calls neighbours, any result "
        "is at most e^ε times as likely under one as under the other. Smaller protects more and "
        "adds more noise. The ε of releases about the same establishments add up.",
    ),
    "alpha": Term(
        "α (alpha), protected growth",
        "How much larger an establishment may be before neighbours differ by it: sizes x and "
        "(1 + α)·x are neighbours. With α = 0.1 an establishment of 100 jobs and one of 110 are.",
    ),
    "plus": Term(
        "Δ, jobs of a small establishment",
        "Sizes x and x + Δ are neighbours too, so that small establishments, of whose jobs α is "
        "less than one, are protected by whole jobs.",
    ),
    "delta": Term(
        "δ (delta)",
        "A further probability, outside which ε holds. Most mechanisms need none: δ is 0.",
    ),
    "rho": Term(
        "ρ (rho)",
        "A way to count losses of Gaussian noise, which adds up more tightly than ε with a δ.",
    ),
    "policy": Term(
        "Policy",
        "Which differences between two sets of data are protected: of workers, of the sizes of "
        "establishments, and, under the strong policy, of what kinds of workers they have.",
    ),
    "account": Term(
        "Account",
        "A population of establishments in the ledger. All releases about it, of all periods, are "
        "charged to it and add up; its cap is the most that they may cost together, and is set "
        "once.",
    ),
    "share": Term(
        "Share", "The part of a plan's ε that a table gets; without shares all are equal."
    ),
    "value": Term(
        "Value",
        "A published number: what was counted, with noise. It may be below zero; cut nothing off "
        "before adding up.",
    ),
    "margin": Term(
        "Margin",
        "How far off a value may be: the true number is within it in 90 % of cases, unless the "
        "certificate states another share. Errors of cells in one workplace cell may be "
        f"correlated. {NOT_DISTINGUISHABLE}",
    ),
    "status": Term(
        "Status",
        "1: a number with noise. −1: no number, since what was measured gives none. −2: no "
        "establishment of this kind exists, so the number is an exact 0.",
    ),
    "mechanism": Term(
        "Mechanism",
        "The way noise is made. With auto the plan takes the one with the smallest predicted "
        "error among those with a proof for its policy and table.",
    ),
    "cell": Term(
        "Cell",
        "One combination of codes of a table, such as a place and a sector. A workplace cell is "
        "made of attributes of establishments alone.",
    ),
    "bundle": Term(
        "Bundle",
        "The published folder of one release: tables, a certificate that says what is promised "
        "and how numbers were made, and checksums.",
    ),
    "sign-off": Term(
        "Sign-off",
        "A record beside a bundle: one person submits it and another one decides. It names the "
        "checksum of the certificate, so it belongs to this bundle alone; it is no cryptographic "
        "signature.",
    ),
    "attribute": Term(
        "Attribute",
        "Something to tabulate by, declared in the codebook with its closed list of codes.",
    ),
    "cap": Term(
        "Cap",
        "All that may ever be lost about one job or one establishment of an account; with "
        "max_per_worker: m a worker with m counted jobs may lose m times that.",
    ),
    "certificate": Term("Certificate", "What a bundle says about itself, for programs."),
    "charge": Term(
        "Charge", "What a release costs; written before the first random bit, never given back."
    ),
    "check": Term(
        "Check", "The comparison of every row with the codebook; its output is confidential."
    ),
    "codebook": Term("Codebook", "What the columns mean and which codes they may hold."),
    "entry": Term(
        "Entry", "One line of the ledger: opened, reserved, committed, failed or withdrawn."
    ),
    "fingerprint": Term(
        "Fingerprint",
        "A number by which the holder of the ledger can tell which data were used; keyed with the "
        "ledger's secret and another in every release, so that outsiders learn nothing.",
    ),
    "frame": Term(
        "Frame",
        "The table of workplaces: which establishments exist, with their public attributes; fixed "
        "independently of jobs.",
    ),
    "guarantee": Term("Guarantee", "A policy with α, ε and δ (or ρ)."),
    "infusion": Term(
        "Infusion",
        "Input noise infusion: today's protection without a guarantee, a factor kept for ever "
        "with each establishment.",
    ),
    "job": Term("Job", "One person at one workplace."),
    "ledger": Term("Ledger", "The file that adds up what was lost."),
    "marginal": Term("Marginal", "A table as a set of attributes with a filter."),
    "plan": Term("Plan", "The file that says what is released and what is promised."),
    "receipt": Term(
        "Receipt",
        "A keyed note in the user's state folder that a check of these data has ended; a release "
        "needs it; internal.",
    ),
    "report": Term(
        "Report", "The page in a bundle for the review board; made of the bundle alone."
    ),
    "worker": Term("Worker", "A person in the workers table."),
    "worker-table": Term(
        "Worker table", "A table with a worker or job attribute, or a filter on one."
    ),
    "workplace": Term("Workplace", "One establishment: one place of one employer."),
    "workplace-table": Term(
        "Workplace table", "A table by workplace attributes alone; it counts every job."
    ),
}


@cache
def glossary() -> Mapping[str, Term]:
    """All terms by key, and every mechanism by its name."""
    mechanisms = {
        name: Term(f"{mechanism.words.label} (mechanism)", mechanism.words.noise)
        for name, mechanism in REGISTRY.items()
    }
    return {**TERMS, **mechanisms}
