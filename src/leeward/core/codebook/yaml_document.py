"""Documents that people write: YAML read as text, and refusals that name the place and the remedy.

Every scalar stays the text that was written. So numbers are exact, the code 01 keeps its zero,
and NO is not false.
"""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Annotated, LiteralString, TypeVar, cast, get_args, get_origin

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from leeward.core.errors import (
    BadFile,
    InvalidParameter,
    LeewardError,
    did_you_mean,
    nearest,
    shown,
)

Shape = TypeVar("Shape", bound="Written")
MOST_BYTES = 64 << 20
"""Maximum size of a document in bytes."""


class Written(BaseModel):
    """A part of a document: no other keys than these, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class _TextLoader(yaml.BaseLoader):
    """YAML without types, aliases or repeated keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            rule = "aliases are not read here; write the value out"
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call] # PyYAML's stubs
            raise yaml.constructor.ConstructorError(None, None, rule, mark)
        return super().compose_node(parent, index)

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        written = str(super().construct_scalar(node))
        if not written.isascii() and any("\ud800" <= sign <= "\udfff" for sign in written):
            rule = "an escaped surrogate, which no UTF-8 text can hold"
            raise yaml.constructor.ConstructorError(None, None, rule, node.start_mark)
        return written

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, str]:
        seen: set[str] = set()
        for key, _ in node.value:
            written = str(key.value)
            if written in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {shown(written)} stands twice", key.start_mark
                )
            seen.add(written)
        return super().construct_mapping(node, deep=deep)


def read_text(path: Path, parameter: str) -> str:
    """A text file in UTF-8, or a refusal that says what is wrong with it."""
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):  # reading a device or a pipe may never end
            kind = "folder" if S_ISDIR(status.st_mode) else "device or pipe"
            raise _unreadable(path, parameter, f"must be a file, not a {kind}")
        if status.st_size > MOST_BYTES:
            raise _unreadable(path, parameter, "must be a document of at most 64 MB")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(path, parameter, "must be text in UTF-8") from None
    except FileNotFoundError:
        raise _unreadable(path, parameter, "must be a file that exists") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "bad name")
        raise _unreadable(path, parameter, f"must be a file that can be read ({reason})") from None


def _unreadable(path: Path, parameter: str, rule: str) -> BadFile:
    # A path is shown in full: its end is what tells files apart.
    return BadFile(
        parameter, rule=rule, value=repr(str(path)), next_step="Look at the name and the file."
    )


def read_document(path: Path, parameter: str) -> dict[str, object]:
    """The top of a YAML document: a mapping of texts, lists and mappings."""
    text = read_text(path, parameter)
    try:
        content = yaml.load(text, Loader=_TextLoader)  # noqa: S506 (BaseLoader makes text only)
    except yaml.YAMLError as error:
        raise _not_yaml(path, parameter, error) from None
    except RecursionError:
        raise _not_yaml(path, parameter, None) from None
    if not isinstance(content, dict):
        raise BadFile(
            parameter,
            rule="must hold keys and values",
            value=f"{_found(content)} in {str(path)!r}",
            next_step="`leeward init` writes one to start from.",
        )
    return cast(dict[str, object], content)


def as_document(content: Mapping[str, object]) -> dict[str, object]:
    """What a YAML document of these values would hold: every number is a text."""
    return {str(key): _as_written(value) for key, value in content.items()}


def _as_written(value: object) -> object:
    if isinstance(value, Mapping):
        return as_document(value)
    if isinstance(value, list | tuple):
        return [_as_written(part) for part in value]
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _not_yaml(path: Path, parameter: str, error: yaml.YAMLError | None) -> BadFile:
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" (line {mark.line + 1}, column {mark.column + 1})"
    problem = getattr(error, "problem", None) or "nested too deeply or not readable"
    return BadFile(
        parameter,
        rule=f"must be YAML: {problem}{where}",
        value=repr(str(path)),
        next_step="Mend that line.",
    )


def parse(
    shape: type[Shape], content: Mapping[str, object], parameter: str
) -> tuple[Shape | None, list[LeewardError]]:
    """A document as a value; or None, and everything that is wrong with its shape."""
    try:
        return shape.model_validate(content), []
    except ValidationError as error:
        errors = error.errors()
    meant = {
        (*error["loc"][:-1], nearest(str(error["loc"][-1]), _known_keys(shape, error["loc"][:-1])))
        for error in errors
        if error["type"] == "extra_forbidden"
    }
    # A misspelt key is refused once, not also as the missing key that was meant.
    return None, [
        _refusal(shape, error, parameter)
        for error in errors
        if error["type"] != "missing" or error["loc"] not in meant
    ]


def _refusal(shape: type[Written], error: ErrorDetails, parameter: str) -> LeewardError:
    where = place((parameter, *error["loc"]))
    kind = error["type"]
    if kind == "missing":
        return InvalidParameter.missing(where)
    if kind == "extra_forbidden":
        return unknown_key(where, str(error["loc"][-1]), _known_keys(shape, error["loc"][:-1]))
    rule = error["msg"].removeprefix("Value error, ").rstrip(".")
    rule = WORDS.get(kind, rule[:1].lower() + rule[1:])
    return InvalidParameter(
        where,
        rule=rule,
        value=_found(error["input"]),
        next_step=REMEDIES.get(kind, f"Change {where}."),
    )


def _found(written: object) -> str:
    if isinstance(written, dict):
        return "keys and values" if written else "nothing"
    if isinstance(written, list):
        return "a list" if written else "an empty list"
    return "nothing" if written in ("", None) else shown(written)


def one_of(words: LiteralString) -> WrapValidator:
    """One refusal for a value that may have several shapes, in place of one for each of them."""

    def check(value: object, shape: ValidatorFunctionWrapHandler) -> object:
        try:
            return shape(value)
        except ValidationError:
            raise PydanticCustomError("one_of", words) from None

    return WrapValidator(check)


Short = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$", strip_whitespace=True),
    one_of("must be one line of 1 to 200 characters"),
]
"""One line for readers."""

Long = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00-\x09\x0b-\x1f\x7f]{1,2000}$", strip_whitespace=True),
    one_of("must be a text of 1 to 2,000 characters"),
]
"""Some sentences for readers, also in several lines."""


WORDS = {
    "string_type": "must be one text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must hold keys and values",
    "mapping_type": "must hold keys and values",
    "model_type": "must hold keys and values",
    "model_attributes_type": "must hold keys and values",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "too_short": "must not be empty",
}


REMEDIES = {
    "string_type": "Write one value.",
    "bool_parsing": "Write true or false, or leave it out.",
    "too_short": "Add at least one.",
    "list_type": "Write it in brackets: [a, b].",
    "tuple_type": "Write it in brackets: [a, b].",
    "one_of": "Write it in one of these ways.",
    "dict_type": "Write it in braces: {key: value}.",
    "model_type": "Write it in braces: {key: value}.",
    "model_attributes_type": "Write it in braces: {key: value}.",
}


def unknown_key(where: str, key: str, known: Iterable[str]) -> InvalidParameter:
    """The refusal of an unknown key, with the nearest known one."""
    listed = tuple(known)
    step = did_you_mean(key, listed, "Leave it out.")
    if key.isdecimal():  # in braces, 4,0 is a 4 and then a key 0
        step = "Write a decimal point in place of the comma before it, or leave it out."
    return InvalidParameter(
        where,
        rule=f"is not a known key; known are {', '.join(listed)}",
        value=shown(key),
        next_step=step,
    )


def place(location: Iterable[object]) -> str:
    """`tables[1].by[0]` for a path of keys and positions."""
    written = ""
    for part in location:
        name = str(part) if str(part).isprintable() else repr(part)
        written += f"[{name}]" if isinstance(part, int) else f".{name}" if written else name
    return written


def _known_keys(shape: type[BaseModel], location: Iterable[object]) -> tuple[str, ...]:
    """The keys of the part of the document at this place."""
    here, named = shape, False  # named: the next part is a user's own name, not one of our keys
    for part in location:
        fields = here.model_fields
        aliases = {field.alias: field for field in fields.values() if field.alias}
        field = {**fields, **aliases}.get(str(part))
        if isinstance(part, int) or named or field is None:
            named = False
            continue
        here = _part(field.annotation) or here
        named = get_origin(field.annotation) in (dict, Mapping)
    return tuple(field.alias or name for name, field in here.model_fields.items())


def _part(annotation: object) -> type[BaseModel] | None:
    """The shape somewhere inside an annotation such as `dict[str, Shape] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_part, get_args(annotation))), None)
