"""Extra: the packages that serve the page, which not every installation has."""

from leeward.errors import BadFile


def require_web() -> None:
    """Refuse where the packages are missing that serve the page."""
    try:
        import starlette  # noqa: F401, PLC0415 (an optional extra)
        import uvicorn  # noqa: F401, PLC0415 (as above)
    except ImportError as missing:
        raise BadFile(
            "serve",
            rule="needs the packages starlette and uvicorn",
            value=f"no {missing.name}",
            next_step="Install leeward[web].",
        ) from None
