"""One survey in the environment of its library: ANSWERS DOMAIN EPSILON METHOD OUT.

METHOD is a method of Leeward, or `pure_ldp` for its Count Mean Sketch. OUT gets the estimated
counts as .npy; the CPU seconds from the first answer to the last count are printed.
"""

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np

ROWS, WIDTH = 128, 1024


def by_pure_ldp(answers: np.ndarray, domain: int, epsilon: str) -> np.ndarray:
    from pure_ldp.frequency_oracles.apple_cms import (  # noqa: PLC0415  # type: ignore[import-not-found, unused-ignore]
        CMSClient,
        CMSServer,
    )

    server = CMSServer(float(epsilon), ROWS, WIDTH)
    client = CMSClient(float(epsilon), server.get_hash_funcs(), WIDTH)
    for answer in answers.tolist():
        server.aggregate(client.privatise(answer))
    return np.array([server.estimate(answer) for answer in range(domain)])


def by_leeward(answers: np.ndarray, domain: int, epsilon: str, method: str) -> np.ndarray:
    from leeward.local.choice import channel  # noqa: PLC0415 (not in the other environment)
    from leeward.randomness import SecretBits  # noqa: PLC0415

    made = channel(method, domain, epsilon)
    return made.counts(made.encode(answers, SecretBits()))


def main() -> None:
    path, domain, epsilon, method, out = sys.argv[1:6]
    answers = np.load(path)
    start = process_time()
    if method == "pure_ldp":
        counts = by_pure_ldp(answers, int(domain), epsilon)
    else:
        counts = by_leeward(answers, int(domain), epsilon, method)
    print(json.dumps(process_time() - start))
    np.save(Path(out), counts)


if __name__ == "__main__":
    main()
