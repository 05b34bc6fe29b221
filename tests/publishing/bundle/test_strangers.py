"""A stranger's certificate of any shape is rejected, or read, in little memory and time."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leeward.core.codebook import Marginal
from leeward.publishing.bundle import BundleWriter, TableGuarantee, read_bundle
from leeward.publishing.bundle.certificate import CERTIFICATE_BYTES, published_schema
from leeward.publishing.bundle.first_look import DEEPEST, first_wrong_line
from tests.publishing.bundle.made_up import GUARANTEE, cells, certificate, certified, dimension
from tests.publishing.bundle.strangers import in_our_hand, of_one_line

MOST_MEMORY = 200
"""Megabytes of the whole process, imports included."""

MOST_SECONDS = 2.0
"""Of the processor, for one certificate."""

READER = """
import json, resource, sys, time
from pathlib import Path
import leeward.api
from leeward.publishing.bundle.certificate import read_certificate
from leeward.core.errors import Damaged

for name in sys.argv[1:]:
    begun = time.process_time()
    try:
        read_certificate(Path(name) / "certificate.json")
        said = "read"
    except Damaged as refusal:
        said = refusal.rule
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([Path(name).name, said, memory, time.process_time() - begun]))
"""
"""One process for all: its memory is the largest of them."""


def read_by_itself(folders: list[Path]) -> list[tuple[str, str, float, float]]:
    # By way of a shell: the memory of a process begins with that of the one that started it.
    run = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", READER, *map(str, folders)]
    found = subprocess.run(run, check=True, capture_output=True, text=True, timeout=120)
    return [tuple(json.loads(line)) for line in found.stdout.splitlines()]


def test_every_shape_takes_little_memory_and_time(sealed: Path, tmp_path: Path) -> None:
    sound: dict[str, Any] = json.loads((sealed / "certificate.json").read_text())
    most = CERTIFICATE_BYTES * 15 // 16
    shapes = {name: make() for name, make in in_our_hand(sound, most).items()}
    shapes |= of_one_line(most)
    larger = of_one_line(4 * most)
    shapes |= {f"{name}, larger": larger[name] for name in ("an unknown list", "deep")}
    folders = []
    for name, text in shapes.items():
        (tmp_path / name / "tables").mkdir(parents=True)
        (tmp_path / name / "certificate.json").write_text(text)
        # Tables beside it, so that a large one is not rejected for its size.
        (tmp_path / name / "tables" / "t.parquet").write_bytes(bytes(1 << 14))
        folders.append(tmp_path / name)
    for name, said, memory, seconds in read_by_itself(folders):
        assert memory < MOST_MEMORY, (name, said, memory)
        assert seconds < MOST_SECONDS, (name, said, seconds)
        assert said != "certificate.json must be a file, and no larger than its tables can need"
        assert said == "read" or "must be a certificate" in said, (name, said)


def test_a_large_certificate_without_tables_is_not_even_opened(tmp_path: Path) -> None:
    with (tmp_path / "certificate.json").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no space
    ((_, said, _, seconds),) = read_by_itself([tmp_path])
    assert said == "certificate.json must be a file, and no larger than its tables can need"
    assert seconds < MOST_SECONDS


def test_a_long_list_of_codes_is_read_beside_a_small_table(tmp_path: Path) -> None:
    """The list of a nation, and two rows: the Parquet file holds the list, compressed."""
    code = dimension("code", [f"{number:06d}" for number in range(70_000)])
    marginal = Marginal("t", (code,), ())
    with BundleWriter(tmp_path / "long") as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            writer.write(cells(marginal, (0, 1), margins=True))
        paid = {"guarantee": TableGuarantee.of(GUARANTEE)}
        bundle.seal(certificate("long", [certified(writer, changes=paid)]))
    path = tmp_path / "long" / "certificate.json"
    assert path.stat().st_size > CERTIFICATE_BYTES
    assert len(read_bundle(tmp_path / "long").certificate.tables[0].codes["code"]) == 70_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"format": 3,', '"format": "3",'),  # another kind
        (' "name": "demo",\n', ' "name": "demo",\n "size": 3,\n'),  # an unknown key
        (' "name": "demo",\n', ""),  # a missing key
        (' "name": "demo",\n', 2 * ' "name": "demo",\n'),  # one key too many
        ('"name": "demo"', '"name": "de mo"'),  # another pattern
        ('\n "tables": [\n', '\n "tables": [\n  0,\n'),  # another kind in a list
        (' "corrects": null,\n', ' "corrects": [],\n'),  # another kind, empty
        ("\n}\n", "\n}\n}\n"),  # more than one whole
        ("\n}\n", "\n"),  # half of one
        (' "period"', ' "period'),  # no JSON
    ],
)
def test_a_first_look_finds_what_no_certificate_has(
    sealed: Path, tmp_path: Path, old: str, new: str
) -> None:
    schema = json.loads(published_schema())
    text = (sealed / "certificate.json").read_text()
    assert first_wrong_line(sealed / "certificate.json", schema) is None
    assert old in text
    (tmp_path / "one.json").write_text(text.replace(old, new, 1))
    assert first_wrong_line(tmp_path / "one.json", schema) is not None


def test_a_first_look_counts_depth_and_parts(sealed: Path, tmp_path: Path) -> None:
    content: dict[str, Any] = json.loads((sealed / "certificate.json").read_text())
    schema, path = json.loads(published_schema()), tmp_path / "one.json"
    nested: object = 0
    for _ in range(DEEPEST):
        nested = [nested]
    for plan, fits in (({"x": [[0]]}, True), ({"x": nested}, False)):
        path.write_text(json.dumps(content | {"plan": plan}, indent=1) + "\n")
        assert (first_wrong_line(path, schema) is None) is fits
    assert first_wrong_line(path, schema, parts=10) is not None
