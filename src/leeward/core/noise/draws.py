"""Draws: the one step of a release that draws, apart from all that can be computed."""

from fractions import Fraction
from typing import final

import numpy as np

from leeward.core.noise.block_draws import draw_block, draw_pairs
from leeward.core.noise.body import Body
from leeward.core.noise.design import Design
from leeward.core.noise.joint_draws import draw_joint
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.sampling import draw, draw_gaussian
from leeward.core.noise.scales import BOUND, Integers, Laws, Scales, TwoScales
from leeward.core.randomness import SecretBits


@final
class SecretNoise:
    """Exact draws from the system's bits. It holds nothing, so nothing can be put into it."""

    __slots__ = ()

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        return _within(true + draw(law, scales, SecretBits()))

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        return _within(true + draw_gaussian(variance, true.size, SecretBits()).reshape(true.shape))

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        return _within(true + draw_block(scales, true.shape[1], law, SecretBits()))

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        return _within(true + draw_pairs(scales, true.shape[1], body, law, SecretBits()))

    def joint(
        self, true: Integers, scales: Scales, design: Design, law: RadialLaw | None
    ) -> Integers:
        return _within(true + draw_joint(design, scales, law, SecretBits()))


def _within(noisy: Integers) -> Integers:
    clipped: Integers = np.clip(noisy, -BOUND, BOUND)
    return clipped


SECRET = SecretNoise()
