"""Classifier: a small model of one column by all others, to compare what rows teach.

A logistic regression with a weight for each value of each other column and each value of the
target, fitted by steps along the gradient that shrink where it was large (AdaGrad). Nothing is
drawn: equal rows give equal models.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.systems.synth.halves import Sample

Reals = NDArray[np.float64]

STEPS, PACE, RIDGE = 60, 0.5, 1e-4
"""Steps along the gradient, the length of the first, and what large weights cost."""


@dataclass(frozen=True)
class Classifier:
    """Weights by value of a predictor (rows) and value of the target (columns)."""

    target: int
    starts: NDArray[np.int64]
    weights: Reals

    @classmethod
    def fit(cls, sample: Sample, sizes: Sequence[int], target: int) -> "Classifier":
        """Learn from a sample; a column of one value stands for the constant."""
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        model = cls(target, starts, np.zeros((sum(sizes) + 1, sizes[target])))
        places = model.places(sample.rows)
        share = sample.times / sample.times.sum()
        wanted = np.zeros((len(share), sizes[target]))
        wanted[np.arange(len(share)), sample.rows[:, target]] = 1
        weights, seen = model.weights, np.full_like(model.weights, 1e-12)
        for _ in range(STEPS):
            error = share[:, None] * (_softmax(_scores(weights, places)) - wanted)
            gradient = _gathered(places, error, len(weights)) + RIDGE * weights
            seen += gradient**2
            weights = weights - PACE * gradient / np.sqrt(seen)
        return cls(target, starts, weights)

    def accuracy(self, sample: Sample) -> float:
        """The share of rows whose target it tells."""
        told = _scores(self.weights, self.places(sample.rows)).argmax(axis=1)
        right = told == sample.rows[:, self.target]
        return float((right * sample.times).sum() / max(sample.times.sum(), 1.0))

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The weights that a row adds up: one for each other column, and the constant."""
        placed = rows + self.starts
        placed[:, self.target] = len(self.weights) - 1
        return placed


def most_frequent(sample: Sample, target: int) -> int:
    """The value of the target that most rows have."""
    return int(np.bincount(sample.rows[:, target], sample.times).argmax())


def _scores(weights: Reals, places: NDArray[np.int64]) -> Reals:
    total = np.zeros((len(places), weights.shape[1]))
    for column in places.T:
        total += weights[column]
    return total


def _softmax(scores: Reals) -> Reals:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Reals = raised / raised.sum(axis=1, keepdims=True)
    return shares


def _gathered(places: NDArray[np.int64], error: Reals, size: int) -> Reals:
    """The error of all rows at each weight."""
    flat = places.ravel()
    each = [np.repeat(one, places.shape[1]) for one in error.T]
    return np.stack([np.bincount(flat, one, minlength=size) for one in each], axis=1)
