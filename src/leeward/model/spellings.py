"""Spellings: the texts that registers write for the codes of a short public list.

A codebook asks for them by name, because letters differ between languages: M is male in English and
a woman (mujer) in Spanish. No row is looked at.
"""

from collections.abc import Mapping

Spelling = Mapping[str, tuple[str, ...]]
"""For each code the texts that mean it; the first of them is published."""

SPELLINGS: Mapping[str, Mapping[str, Spelling]] = {
    "lehd/sex": {
        "numbers": {"1": ("1", "01"), "2": ("2", "02")},
        "letters": {"1": ("M",), "2": ("F", "W")},
        "words": {"1": ("male", "Male"), "2": ("female", "Female")},
    },
}
"""By the name of a list, the ways in which its codes are written."""


def published(name: str, way: str) -> Mapping[str, str]:
    """The text that is published for each code of a list."""
    return {code: texts[0] for code, texts in SPELLINGS[name][way].items()}


def accepted(name: str, way: str) -> Mapping[str, str]:
    """The published text of every other text that means the same, in any spelling."""
    shown = published(name, way)
    return {
        text: shown[code]
        for spelling in SPELLINGS[name].values()
        for code, texts in spelling.items()
        for text in texts
        if text != shown[code]
    }
