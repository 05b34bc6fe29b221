"""The names that users may rely on."""

from importlib.metadata import version

import leeward


def test_public_names_are_exactly_these() -> None:
    assert leeward.__all__ == [
        *(
            "Bundle",
            "CannotCompose",
            "Derived",
            "EstablishmentRemoval",
            "Guarantee",
            "InvalidParameter",
        ),
        *("Ledger", "LeewardError", "NotCovered", "Person", "Plan", "ProportionalAlpha"),
        *("StrongAlpha", "WeakAlpha"),
        *("WorkerOnly", "__version__", "check", "derive", "find_jobs", "mechanism", "predict"),
        *("read_bundle", "read_plan", "release", "tidy", "verify"),
    ]


def test_every_public_name_exists() -> None:
    assert [name for name in leeward.__all__ if not hasattr(leeward, name)] == []


def test_the_version_is_that_of_the_package() -> None:
    assert leeward.__version__ == version("leeward")
