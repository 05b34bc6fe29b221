"""The methods without dependence: `independent` draws each column by itself, `random` uniformly."""

import numpy as np

from leeward.core.privacy import Guarantee
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.drawing import BayesianNetwork
from leeward.systems.synth.fitting import nearest, total
from leeward.systems.synth.measurer import Measurer


def fit(domain: Domain, measurer: Measurer, budget: Guarantee) -> Fit:
    """One-way counts with noise, at the whole price."""
    margins = measurer.one_way(domain, budget)
    rows = total([margin.noisy for margin in margins])
    network = BayesianNetwork.alone([nearest(margin.noisy.table, rows) for margin in margins])
    return Fit(network, rows, margins)


def uniform(domain: Domain) -> Fit:
    """All values alike: nothing is read, nothing is spent, and no total is known."""
    return Fit(BayesianNetwork.alone([np.ones(size) for size in domain.sizes]), None, ())
