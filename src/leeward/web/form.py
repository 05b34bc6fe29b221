"""Form: what a browser sent, as names and texts."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from leeward.errors import InvalidParameter

Fields = list[tuple[str, str]]
MOST_FIELDS = 20_000


def read_form(request: Request) -> Fields:
    """The fields in the order of the page; the guard has read and measured the body."""
    try:
        text = request.state.body.decode("ascii")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise InvalidParameter(
            "form",
            rule=f"must hold at most {MOST_FIELDS:,} fields of text in UTF-8",
            value="something else",
            next_step="Go back and send the form of the page.",
        ) from None
