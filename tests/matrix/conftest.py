"""What all tests of the matrix share: the office, what each plan made there, and each visit."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import psycopg
import pytest

from leeward.core.codebook import TABLES
from tests.interface.web.outputs_scene import write_outputs
from tests.matrix.office import ROWS, Made, Office
from tests.matrix.page import Visit, visited
from tests.publishing.engines.cluster import cluster
from tests.publishing.release.test_postgres import load


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """Tables in files and databases, among them a PostgreSQL server of the tests."""
    folder = tmp_path_factory.mktemp("matrix")
    with ExitStack() as stack:
        server = stack.enter_context(cluster())
        office = Office(folder, server)
        office.write()
        with psycopg.connect(
            host=str(server), user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute("CREATE SCHEMA matrix")
            for name in TABLES:
                load(connection, office.economy / f"{name}.parquet", f"matrix.{name}")
        yield office


@pytest.fixture(scope="session")
def made(office: Office) -> Callable[[str], Made]:
    """What the plan of this name made, once."""
    return cache(lambda name: office.make(ROWS[name]))


@pytest.fixture(scope="session")
def visit(office: Office, made: Callable[[str], Made]) -> Callable[[str], Visit]:
    """All addresses of the page of this plan, once; beside the first lie outputs of other kinds."""

    @cache
    def once(name: str) -> Visit:
        if name == next(iter(ROWS)):
            outputs = office.folder / "outputs"
            outputs.mkdir()
            write_outputs(outputs)
            shutil.copytree(outputs / "releases", made(name).bundle.parent, dirs_exist_ok=True)
        return visited(made(name), office)

    return once
