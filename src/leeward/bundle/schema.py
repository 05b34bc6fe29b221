"""Schema: the JSON Schema of certificates, for readers who have no Leeward."""

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from leeward.bundle.certificate import FORMAT, SINCE_2, UNKNOWN_IN_1, Certificate
from leeward.bundle.layout import SCHEMA

OLDER = {1: "de43e209c22b4377d4165baa36de40850497ad18a5ef70dfb6542be7ac26985f"}
"""SHA-256 of the schemas that bundles of older formats carry."""


def certificate_schema() -> dict[str, Any]:
    """The schema as the models give it (draft 2020-12)."""
    own = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:leeward:certificate:{FORMAT}",
    }
    new = sorted(SINCE_2)
    formats = {
        "if": {"properties": {"format": {"const": FORMAT}}},
        "then": {"required": new, "properties": {name: {"type": "object"} for name in new}},
        "else": {"properties": dict.fromkeys(sorted(UNKNOWN_IN_1), False)},
    }
    return own | Certificate.model_json_schema() | formats


def schema_bytes() -> bytes:
    """The schema as a file."""
    return (json.dumps(certificate_schema(), indent=1, ensure_ascii=False) + "\n").encode()


@cache
def published_schema() -> bytes:
    """The schema as it was published with this package: what every bundle carries."""
    return files("leeward.bundle").joinpath(SCHEMA).read_bytes()


def is_published(schema: bytes, of_format: int) -> bool:
    """Whether this is the schema that bundles with certificates of this format carry."""
    if of_format in OLDER:
        return sha256(schema).hexdigest() == OLDER[of_format]
    return schema == published_schema()
