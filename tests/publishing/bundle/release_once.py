"""A process of its own that writes one bundle, to be killed or kept short of space."""

import resource
import sys
from pathlib import Path

from leeward.core.codebook import Marginal
from leeward.core.errors import BadFile
from leeward.publishing.bundle import BundleWriter
from tests.publishing.bundle.made_up import cells, certificate, certified, dimension

PLACES = 400
MARGINAL = Marginal(
    "by_place",
    (dimension("place", [f"{number:05d}" for number in range(PLACES)]),),
    (dimension("age", [f"A{number:02d}" for number in range(50)], "workers"),),
)


def release(target: Path) -> None:
    with BundleWriter(target) as bundle:
        with bundle.table(MARGINAL, margins=("margin",)) as writer:
            for start in range(0, PLACES, 20):
                writer.write(cells(MARGINAL, range(start, start + 20), margins=True))
        bundle.seal(certificate(target.name, [certified(writer)]))


def main(target: Path, most_bytes: int) -> None:
    """Start when the other side says so; end with what was refused."""
    if most_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    try:
        release(target)
    except BadFile as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
