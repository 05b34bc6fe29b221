"""Report: made anew from the bundle, under a policy that lets it do nothing but be read.

The file report.html that lies in a bundle is not under its checksums, so it is never served.
"""

import re
from base64 import b64encode
from hashlib import sha256

from starlette.responses import HTMLResponse

from leeward.bundle import Bundle
from leeward.report.document import report

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def report_answer(bundle: Bundle) -> HTMLResponse:
    """The report of a bundle as a page of its own."""
    page = report(bundle)
    return HTMLResponse(page, headers={"Content-Security-Policy": policy(page)})


def policy(page: str) -> str:
    """No script, no form, no address, no other style than the ones that stand in the page."""
    styles = [f"'sha256-{_digest(style)}'" for style in STYLE.findall(page)] or ["'none'"]
    return (
        f"default-src 'none'; style-src {' '.join(styles)}; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox"
    )


def _digest(style: str) -> str:
    return b64encode(sha256(style.encode()).digest()).decode()
