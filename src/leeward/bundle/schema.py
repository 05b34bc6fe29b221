"""Schema: the JSON Schema of certificates, for readers who have no Leeward."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from leeward.bundle.certificate import FORMAT, Certificate
from leeward.bundle.layout import SCHEMA


def certificate_schema() -> dict[str, Any]:
    """The schema as the models give it (draft 2020-12)."""
    own = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:leeward:certificate:{FORMAT}",
    }
    return own | Certificate.model_json_schema()


def schema_bytes() -> bytes:
    """The schema as a file."""
    return (json.dumps(certificate_schema(), indent=1, ensure_ascii=False) + "\n").encode()


@cache
def published_schema() -> bytes:
    """The schema as it was published with this package: what every bundle carries."""
    return files("leeward.bundle").joinpath(SCHEMA).read_bytes()
