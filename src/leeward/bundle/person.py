"""Person: when two names are taken for the same person, so that nobody decides on their own work.

It sees through other ways of writing a name, not through another name.
"""

from itertools import groupby
from unicodedata import category, normalize

UNSEEN = frozenset(
    map(chr, [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, *range(0x180B, 0x1810),
              *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)  # fmt: skip
"""Letters and marks that show nothing; other such signs are known by their category."""


def is_name(text: str) -> bool:
    """Whether a text has a letter that can be seen."""
    return bool(_seen(text))


def same_person(one: str, other: str) -> bool:
    """Without regard to case, blanks, signs that show nothing, and the order of the words."""
    return _seen(one) == _seen(other) or _words(one) == _words(other)


def _seen(name: str) -> str:
    return "".join(sign for sign in _folded(name) if category(sign)[0] != "Z")


def _words(name: str) -> list[str]:
    """The words in an order of their own: `Surname, Name` is `Name Surname`."""
    groups = groupby(_folded(name), lambda sign: category(sign)[0] in "LMN")
    return sorted("".join(signs) for is_word, signs in groups if is_word)


def _folded(name: str) -> str:
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return "".join(one for one in folded if category(one)[0] != "C" and one not in UNSEEN)
