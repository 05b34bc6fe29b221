"""Version: one line that tells a program which release it holds.

Modelled on the version files of the LEHD public-use data: product, what it covers, when,
version of the format, when it was made, and where it comes from.
"""

from leeward.bundle.certificate import Certificate

FIELDS = (
    ("LEEWARD", "the product"),
    ("NAME", "the name of this bundle"),
    ("PERIOD", "the period that the numbers are about"),
    ("V…", "the version of Leeward that made it"),
    ("C…", "the format of certificate.json"),
    ("YYYYMMDD", "the day on which it was made (UTC)"),
    ("entry N", "the entry of the ledger that was charged for it"),
    ("HEAD", "the state of the ledger with that entry"),
)


def version_line(certificate: Certificate) -> str:
    """The line of `version_NAME.txt`; blanks inside a word are written as underscores."""
    day = certificate.created[:10].replace("-", "")
    words = [
        *("LEEWARD", certificate.name, certificate.period),
        *(f"V{certificate.leeward}", f"C{certificate.format}", day),
        *("entry", str(certificate.ledger.entry), certificate.ledger.head),
    ]
    return " ".join("_".join(word.split()) for word in words) + "\n"
