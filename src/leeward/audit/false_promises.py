"""False promises: sentences that were printed, or that the sources print, and that do not hold.

The examiner must reject every one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from leeward.audit.promises import Promise, beside, largest_loss
from leeward.audit.publication import Setting, settings
from leeward.audit.worlds import JOB_PAIRS, PAIRS, Pair, each_kind, share_of_a_kind
from leeward.exact import ball, precision
from leeward.model import PrimaryJob
from leeward.privacy.words import Sentence


@dataclass(frozen=True)
class FalsePromise:
    """A sentence that must be rejected: its id, its text, and how many steps it claims."""

    id: str
    text: str
    setting: Setting
    pairs: tuple[Pair, ...]
    steps: int = 1

    def examined(self) -> Promise:
        """The false sentence beside the truth."""
        said = Sentence(self.id, self.text, self.steps)
        # It speaks of all these pairs alike, however many times further apart they are.
        alike = [replace(pair, times=Fraction(1)) for pair in self.pairs]
        with precision(128):
            promised = ball(self.steps * self.setting.epsilon)
        made = beside(self.setting, said, promised, largest_loss(self.setting, alike))
        return replace(made, control=True)


def false_promises() -> Iterator[Promise]:
    """Sentences that were printed, or that the sources print, and that are false."""
    found = {setting.policy: setting for setting in reversed(settings())}
    strong, weak, worker = (found[name] for name in ("strong", "weak", "worker"))
    primary = PrimaryJob("earnings")
    yield from (
        one.examined()
        for one in (
            FalsePromise(
                "share-within-alpha",
                "[H16] Theorem 7.2: the share of each kind of worker is hidden within 1+α.",
                weak,
                tuple(share_of_a_kind(weak.scene)),
            ),
            FalsePromise(
                "make-up-by-kind",
                "Between make-ups in which every kind differs by 1+α or one worker, two steps.",
                weak,
                tuple(each_kind(weak.scene)),
                steps=2,
            ),
            FalsePromise(
                "size-ceiling",
                "[H16] requirement (4): sizes x and up to (1+α)x rounded up to whole jobs.",
                strong,
                strong.sizes(15, 17),
            ),
            FalsePromise(
                "person-moved-once",
                "[H16] Theorem 7.1: between any two values of a person the odds change by e^ε.",
                worker,
                tuple(PAIRS["person-moved"](worker.scene)),
            ),
            FalsePromise(
                "person-with-any-jobs",
                "A person has the stated epsilon, however many jobs the person holds.",
                strong,
                tuple(PAIRS["jobs"](strong.scene)),
            ),
            FalsePromise(
                "size-whoever-joins",
                "With primary jobs, the stated epsilon holds whoever joins, also from elsewhere.",
                strong,
                tuple(JOB_PAIRS["jobs-elsewhere"](strong.scene, primary)),
            ),
            FalsePromise(
                "job-displaced-once",
                "With primary jobs, one single job has the stated epsilon.",
                strong,
                tuple(JOB_PAIRS["job-displaced"](strong.scene, primary)),
            ),
            FalsePromise(
                "strict-without-condition",
                "With `rows: strict`, a listed and an unlisted code are one step apart.",
                replace(strong, strict=True),
                tuple(PAIRS["strict"](strong.scene)),
            ),
            FalsePromise(
                "size-without-floor",
                "Noise that follows αx alone hides one job more in a small establishment.",
                strong.without_floor(),
                strong.sizes(5, 6),
            ),
        )
    )
