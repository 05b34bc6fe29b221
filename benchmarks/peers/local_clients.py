"""One survey in the environment of its library: ANSWERS DOMAIN EPSILON METHOD OUT.

METHOD is a method of Leeward, or `pure_ldp` for its Count Mean Sketch. OUT gets the estimated
counts as .npy; the CPU seconds from the first answer to the last count are printed.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

ROWS, WIDTH = 128, 1024
PEER = "pure_ldp"

Survey = Callable[[np.ndarray], np.ndarray]


def by_pure_ldp(domain: int, epsilon: float) -> Survey:
    """Its Count Mean Sketch, client by client as it takes them."""
    from pure_ldp.frequency_oracles.apple_cms import (  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 (its own environment)
        CMSClient,
        CMSServer,
    )

    server = CMSServer(epsilon, ROWS, WIDTH)
    client = CMSClient(epsilon, server.get_hash_funcs(), WIDTH)

    def survey(answers: np.ndarray) -> np.ndarray:
        for answer in answers.tolist():
            server.aggregate(client.privatise(answer))
        return np.array([server.estimate(answer) for answer in range(domain)])

    return survey


def by_leeward(domain: int, epsilon: str, method: str) -> Survey:
    """All clients at once."""
    from leeward.core.randomness import SecretBits  # noqa: PLC0415
    from leeward.systems.local.channel_choice import channel  # noqa: PLC0415 (not in the other environment)

    made = channel(method, domain, epsilon)
    return lambda answers: made.counts(made.encode(answers, SecretBits()))


def main() -> None:
    path, domain, epsilon, method, out = sys.argv[1:6]
    peer = method == PEER
    survey = (
        by_pure_ldp(int(domain), float(epsilon))
        if peer
        else by_leeward(int(domain), epsilon, method)
    )
    answers = np.load(path)
    start = process_time()
    counts = survey(answers)
    print(process_time() - start)
    np.save(Path(out), counts)


if __name__ == "__main__":
    main()
