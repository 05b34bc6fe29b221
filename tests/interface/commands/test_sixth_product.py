"""A sixth public product is one YAML file: its recipe and its layout work like the others."""

import csv
import shutil
from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from leeward.derived.products import public_product as products
from tests.interface.commands.scene import Office

TOY = """\
recipe:
  options: [period]
  tables: [workplaces, workers, jobs]
  lists: [place]
  accounts: [{name: toy, policy: strong, alpha: "0.1", epsilon: "2"}]
  layouts: [{form: toy, bundles: [bundle], folder: toy}]
  files:
    - file: codebook.yaml
      text: |
        attributes:
          place: {table: workplaces, public: true, codes: codes/place.csv}
    - file: plan.yaml
      bundle: bundle
      text: |
        data: {workplaces: "{{ workplaces }}", workers: "{{ workers }}", jobs: "{{ jobs }}"}
        codebook: codebook.yaml
        account: toy
        period: "{{ period }}"
        protect: {policy: strong, alpha: 0.1, epsilon: 2}
        tables: [{name: jobs, by: [place]}]
identifiers:
  level: {level_of: region, lengths: {7: municipality}}
  region: {from: [place], all: "0"}
layouts:
  toy: {source: a test, numbers: {jobs: flag}, tables: {jobs: {statistic: count, number: jobs}}}
"""


@pytest.fixture
def six(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the products, with one more."""
    folder = tmp_path / "products"
    folder.mkdir()
    for path in products.FOLDER.glob("*.yaml"):
        shutil.copy(path, folder)
    (folder / "toy.yaml").write_text(TOY)
    monkeypatch.setattr(products, "FOLDER", folder)
    return folder


@pytest.mark.usefixtures("six")
def test_a_file_is_all_that_a_product_needs(office: Office) -> None:
    command = ("init", "--recipe", "toy", "--demo", "--demo-jobs", "400", "--out", "new")
    result = office.run(*command)
    assert result.exit_code == 0, result.output
    with (office.folder / "new" / "toy" / "toy_bundle.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["level", "region", "jobs", "flag"]
    assert {(row[0], len(row[1]), row[3]) for row in rows} == {("municipality", 7, "1")}


@pytest.mark.usefixtures("six")
def test_lists_of_recipes_and_forms_end_with_it(office: Office) -> None:
    refused = office.run("init", "--recipe", "seventh")
    assert "must be one of lodes, umetrics, pseo, veo, qwi, toy; got 'seventh'" in refused.stderr
    assert [*products.public_layouts()] == ["pseoe", "pseof", "veo", "qwi", "umetrics", "toy"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("level_of: region", "level_of: place", "must have the column place that it names"),
        ("{from: [place], all", "{from: [place], years_of: level, all", "one source of its codes"),
        ("number: jobs", "named_after: jobs", "named_by"),
        ("numbers: {jobs: flag}", "numbers: {jobs: flag}, absent: {other: 3}", "the flag other"),
        ("number: jobs", "number: workers", "must have the number workers that it names"),
        ("file: plan.yaml", "plan: plan.yaml", "file"),
    ],
)
def test_what_is_wrong_with_a_file_is_refused_when_it_is_read(
    six: Path, old: str, new: str, says: str
) -> None:
    assert old in TOY
    (six / "toy.yaml").write_text(TOY.replace(old, new))
    with pytest.raises(LeewardError, match=says):
        products.product("toy")
