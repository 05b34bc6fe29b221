"""Finite fields: whole numbers below a prime power Q = p^m that can be added, multiplied, divided.

A number is the polynomial over Z_p whose coefficients are its digits to the base p, the lowest
first; products are taken modulo the first monic irreducible polynomial in the order of numbers,
so that every program numbers the elements alike.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from flint import nmod_poly
from numpy.typing import NDArray

Elements = NDArray[np.int64]

MOST_IN_TABLES = 1 << 10
"""Largest order of a field that is not a prime: its products are looked up."""


@dataclass(frozen=True)
class Field:
    """The field with `prime`^`degree` elements."""

    prime: int
    degree: int = 1

    @property
    def order(self) -> int:
        """Q, the number of elements."""
        return int(self.prime**self.degree)

    @cached_property
    def modulus(self) -> tuple[int, ...]:
        """Coefficients of the polynomial, the lowest first; the last one is 1."""
        for number in range(self.order, 2 * self.order):
            digits = tuple(number // self.prime**i % self.prime for i in range(self.degree + 1))
            _, factors = nmod_poly(list(digits), self.prime).factor()
            if len(factors) == 1 and factors[0][1] == 1:
                return digits
        raise AssertionError("there is an irreducible polynomial of every degree")

    @cached_property
    def digits(self) -> Elements:
        """The coefficients (Q, m) of all elements, the lowest first."""
        return np.arange(self.order)[:, None] // self._weights % self.prime

    @property
    def _weights(self) -> Elements:
        return self.prime ** np.arange(self.degree)

    def plus(self, left: Elements, right: Elements) -> Elements:
        """Sums."""
        if self.degree == 1:
            return (left + right) % self.prime
        sums: Elements = self._sums[left, right]
        return sums

    def times(self, left: Elements, right: Elements) -> Elements:
        """Products."""
        if self.degree == 1:
            return left * right % self.prime
        products: Elements = self._products[left, right]
        return products

    def minus(self, element: Elements) -> Elements:
        """What adds up to 0 with it."""
        if self.degree == 1:
            return -element % self.prime
        negated: Elements = -self.digits[element] % self.prime @ self._weights
        return negated

    @cached_property
    def inverses(self) -> Elements:
        """1/x of every x; 0 of 0."""
        if self.degree == 1:
            return np.array([0, *(pow(x, -1, self.prime) for x in range(1, self.prime))])
        inverses: Elements = np.argmax(self._products == 1, axis=1)
        inverses[0] = 0
        return inverses

    @cached_property
    def _sums(self) -> Elements:
        sums: Elements = (self.digits[:, None] + self.digits) % self.prime @ self._weights
        return sums

    @cached_property
    def _products(self) -> Elements:
        """Σ a_i·(x^i·b), by the multiples of all b with powers of x."""
        shifted, total = self.digits, np.zeros((self.order, *self.digits.shape), dtype=np.int64)
        for i in range(self.degree):
            total += self.digits[:, None, None, i] * shifted
            higher = np.roll(shifted, 1, axis=1)
            carried = higher[:, :1].copy()
            higher[:, 0] = 0
            shifted = (higher - carried * np.array(self.modulus[:-1])) % self.prime
        products: Elements = total % self.prime @ self._weights
        return products

    @cached_property
    def dual(self) -> Elements:
        """For every v the number w with digits w_i = Tr(x^i·v), so that Tr(u·v) = Σ u_i·w_i mod p.

        The trace Tr(z) = z + z^p + z^(p²) + … is a number below p.
        """
        elements = np.arange(self.order)
        if self.degree == 1:
            return elements
        frobenius = np.ones(self.order, dtype=np.int64)  # z^p of every z
        for _ in range(self.prime):
            frobenius = self._products[frobenius, elements]
        power, trace = elements, elements
        for _ in range(self.degree - 1):
            power = frobenius[power]
            trace = self._sums[trace, power]
        return trace[self._products[self._weights]].T @ self._weights


@lru_cache(maxsize=4)
def prime_powers(most: int) -> tuple[Field, ...]:
    """Fields in the order of their size: all primes up to `most`, powers as far as tables reach."""
    sieve = np.ones(most + 1, dtype=np.bool_)
    sieve[:2] = False
    for i in range(2, int(most**0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = False
    primes = [int(p) for p in np.flatnonzero(sieve)]
    fields = [Field(p) for p in primes]
    for p in primes:
        degree = 2
        while p**degree <= min(most, MOST_IN_TABLES):
            fields.append(Field(p, degree))
            degree += 1
    return tuple(sorted(fields, key=lambda field: field.order))
