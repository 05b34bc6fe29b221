"""Product: a public product as one YAML file: its codebook, its plans and its layouts.

Whatever has `{{ year }}` in its name is there once for each of the product's years.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from leeward.core.codebook.yaml_document import Shape, Written, parse, read_document
from leeward.core.errors import raise_all
from leeward.derived.products.lodes_forms import LodesForm
from leeward.derived.products.product_recipe import Recipe
from leeward.derived.products.public_layout import PublicLayout

FOLDER = Path(__file__).parent
"""Where products are: a file each."""

YEAR = "{{ year }}"


class WrittenProduct(Written):
    """A product as it is written: what its forms share has keys of its own."""

    years: tuple[str, ...] = ()
    recipe: Mapping[str, object]
    identifiers: Mapping[str, object] = {}
    """The columns of codes of its layouts."""
    layouts: Mapping[str, Mapping[str, object]] = {}
    columns: Mapping[str, object] = {}
    """The columns of its forms that add up tables."""
    added_up: Mapping[str, Mapping[str, object]] = {}


class Product(Written):
    """A public product."""

    name: str
    years: tuple[str, ...]
    """The years after an event that the product follows people for."""
    recipe: Mapping[str, object]
    """What the recipe is made of for an office."""
    draft: Recipe
    """The recipe as it is written, with places for that."""
    layouts: Mapping[str, PublicLayout]
    added_up: Mapping[str, LodesForm]
    """Forms whose columns add up tables."""


def product_names() -> tuple[str, ...]:
    """The names of all products, in the order of their files."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def product(name: str) -> Product:
    """The product of this name."""
    return _read(FOLDER / f"{name}.yaml")


def public_layouts() -> Mapping[str, PublicLayout]:
    """The layouts of all products by name, in the order of their turns."""
    layouts = (layout for name in product_names() for layout in product(name).layouts.values())
    return {layout.name: layout for layout in sorted(layouts, key=lambda layout: layout.turn)}


@cache
def _read(path: Path) -> Product:
    written = _shaped(WrittenProduct, read_document(path, path.name), path)
    content: dict[str, object] = {
        "name": path.stem,
        "years": written.years,
        "recipe": written.recipe,
        "draft": written.recipe,
        "layouts": {
            name: {"name": name, "identifiers": written.identifiers}
            | {key: _each_year(part, written.years) for key, part in layout.items()}
            for name, layout in written.layouts.items()
        },
        "added_up": {
            name: {"name": name, "counted": written.columns, **form}
            for name, form in written.added_up.items()
        },
    }
    return _shaped(Product, content, path)


def _shaped(shape: type[Shape], content: Mapping[str, object], path: Path) -> Shape:
    """Content of a file as a value; everything that is wrong with its shape is rejected."""
    value, problems = parse(shape, content, path.name)
    raise_all(problems)
    if value is None:
        raise AssertionError("a product without a value has no problems")
    return value


def _each_year(part: object, years: tuple[str, ...]) -> object:
    """An entry of a list that names the year is there for each of the years."""
    if isinstance(part, Mapping):
        return {name: _each_year(value, years) for name, value in part.items()}
    if not isinstance(part, list):
        return part
    return [
        _with_year(entry, year)
        for entry in part
        for year in (years if YEAR in str(entry) else (YEAR,))
    ]


def _with_year(part: object, year: str) -> object:
    if isinstance(part, Mapping):
        return {name.replace(YEAR, year): _with_year(value, year) for name, value in part.items()}
    if isinstance(part, list):
        return [_with_year(entry, year) for entry in part]
    return part.replace(YEAR, year) if isinstance(part, str) else part
