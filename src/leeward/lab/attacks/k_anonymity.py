"""k-anonymity: files in which every row equals others, and samples, with what they still tell."""

from typing import Any

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Integers
from leeward.core.randomness import SeededBits

HELD = 0.1
"""The share of jobs in each of two files that overlap."""


def k_anonymity(table: Marginal, counts: Integers, k: int, bits: SeededBits) -> dict[str, Any]:
    """Files in which every row equals k or more by what is known, and what they still tell.

    Neighbouring kinds of people are merged until they are k. The secret is the last attribute;
    where two files overlap, the last two, if two others are left.
    """
    sizes = [attribute.size for attribute in table.worker]
    last = sizes[-1]
    pair = last * (sizes[-2] if len(sizes) > 2 else 1)
    one_file = merged(counts.reshape(-1, pair // last, last).sum(axis=1), k)
    alike = (one_file > 0).sum(axis=1) == 1
    kinds = counts.reshape(-1, pair)
    kind, secret = np.nonzero(kinds)
    times = kinds[kind, secret]
    kind, secret = np.repeat(kind, times), np.repeat(secret, times)
    files, left = [], []
    for _ in range(2):
        inside = bits.generator.random(kind.size) < HELD
        there = np.zeros_like(kinds)
        np.add.at(there, (kind[inside], secret[inside]), 1)
        group = _groups(there.sum(axis=1), k)
        files.append(inside)
        left.append((merged(there, k) > 0)[group])
    both = files[0] & files[1]
    first, two = (secrets[kind[both]] for secrets in left)
    alone = (first.sum(axis=1) == 1) | (two.sum(axis=1) == 1)
    return {
        "same_secret": float(one_file[alike].sum() / max(one_file.sum(), 1)),
        "in_both": int(both.sum()),
        "one_file_tells": float(alone.mean()) if alone.size else None,
        "two_files_tell": float(((first & two).sum(axis=1) == 1).mean()) if alone.size else None,
    }


def merged(kinds: Integers, k: int) -> Integers:
    """Kinds of people (n, v) by their secret, neighbours merged until there are k in each."""
    group = _groups(kinds.sum(axis=1), k)
    merged_kinds = np.zeros((group.max(initial=-1) + 1, kinds.shape[1]), dtype=np.int64)
    np.add.at(merged_kinds, group, kinds)
    return merged_kinds


def _groups(sizes: Integers, k: int) -> Integers:
    """The group of each kind; what is left at the end goes to the last one."""
    group, last, people = np.zeros(sizes.size, dtype=np.int64), 0, 0
    for place, size in enumerate(sizes.tolist()):
        if people >= k:
            last, people = last + 1, 0
        group[place] = last
        people += size
    if people < k and last:
        group[group == last] = last - 1
    return group


def just_a_sample(counts: Integers, sample: float) -> dict[str, Any]:
    """A sample of jobs: who is alone in it, and how many of them are alone in the population.

    Expected numbers: a kind of c jobs is seen once with probability c·p·(1−p)^(c−1).
    """
    there = counts[counts > 0].astype(np.float64)
    once = float((there * sample * (1 - sample) ** (there - 1)).sum())
    alone = sample * float((there == 1).sum())
    return {
        "unique_in_sample": round(once / (sample * there.sum()), 9) if there.size else 0.0,
        "also_in_population": alone / once if alone else 0.0,
    }
