"""The only two doors to random bits: one for anything private, one for what is public.

`SecretBits` asks the operating system and takes no seed. `SeededBits` repeats itself and is for
made-up data, and for draws of public laws that readers may repeat (margins of sums), alone. They
are different types and share no base, so that neither can be handed in where the other is asked
for.
"""

import os
from typing import final

import numpy as np
from numpy.typing import NDArray

READ_AT_MOST = 1 << 18


@final
class SecretBits:
    """Bits of the system's generator, read a block at a time.

    Nothing is kept from one call to the next: a forked process, a snapshot or a core dump
    can never repeat or reveal bits that another draw uses.
    """

    __slots__ = ()

    def words64(self, count: int) -> NDArray[np.uint64]:
        """`count` uniform integers below 2^64."""
        return self._read(count, np.dtype(np.uint64)).view(np.uint64)

    def words32(self, count: int) -> NDArray[np.uint32]:
        """`count` uniform integers below 2^32."""
        return self._read(count, np.dtype(np.uint32)).view(np.uint32)

    def word(self, bits: int) -> int:
        """One uniform integer below 2^bits; bits is a multiple of eight."""
        return int.from_bytes(os.urandom(bits // 8), "little")

    @staticmethod
    def _read(count: int, kind: np.dtype[np.unsignedinteger]) -> NDArray[np.uint8]:
        size = count * kind.itemsize
        block = np.empty(size, dtype=np.uint8)
        for start in range(0, size, READ_AT_MOST):
            part = os.urandom(min(READ_AT_MOST, size - start))
            block[start : start + len(part)] = np.frombuffer(part, dtype=np.uint8)
        return block


@final
class SeededBits:
    """A repeatable generator for what is public by construction: made-up data, draws of margins."""

    __slots__ = ("generator",)

    def __init__(self, seed: int) -> None:
        self.generator = np.random.Generator(np.random.PCG64(seed))
