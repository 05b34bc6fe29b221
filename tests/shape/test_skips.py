"""Tests that are skipped are counted in one line, or fail under `--no-skips`."""

import pytest

SKIPS_TWO_WAYS = {
    "test_body": "import pytest\ndef test_a(): pytest.skip('no java')\ndef test_b(): pass",
    "test_module": "import pytest\npytest.importorskip('no_such_module')",
}
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False"


def test_skips_are_counted_in_one_line(inner: pytest.Pytester) -> None:
    inner.makepyfile(**SKIPS_TWO_WAYS)
    result = inner.runpytest()
    result.assert_outcomes(passed=1, skipped=2)
    assert [line for line in result.outlines if "make system-deps" in line] == [
        "2 skipped: `make system-deps` (as root) enables them"
    ]


def test_no_skips_fails_a_skipped_test(inner: pytest.Pytester) -> None:
    inner.makepyfile(SKIPS_TWO_WAYS["test_body"])
    result = inner.runpytest("--no-skips")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines("*--no-skips: *no java*")
    result.stdout.no_fnmatch_line("*make system-deps*")


def test_no_skips_fails_a_skipped_module(inner: pytest.Pytester) -> None:
    inner.makepyfile(SKIPS_TWO_WAYS["test_module"])
    result = inner.runpytest("--no-skips")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*--no-skips: *no_such_module*")


@pytest.mark.parametrize("options", [(), ("--no-skips",)])
def test_an_expected_failure_is_not_a_skip(
    inner: pytest.Pytester, options: tuple[str, ...]
) -> None:
    inner.makepyfile(EXPECTED_FAILURE)
    result = inner.runpytest(*options)
    result.assert_outcomes(xfailed=1)
    result.stdout.no_fnmatch_line("*make system-deps*")


@pytest.mark.slow
def test_two_workers_count_a_skip_once_and_fail_it(inner: pytest.Pytester) -> None:
    """Both find that a module is skipped."""
    inner.makepyfile(**SKIPS_TWO_WAYS)
    result = inner.runpytest("-n", "2")
    result.assert_outcomes(passed=1, skipped=2)
    assert [line for line in result.outlines if "make system-deps" in line] == [
        "2 skipped: `make system-deps` (as root) enables them"
    ]
    result = inner.runpytest("-n", "2", "--no-skips")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines_random(["*--no-skips: *no java*", "*--no-skips: *no_such_module*"])
    result.stdout.no_fnmatch_line("*make system-deps*")
