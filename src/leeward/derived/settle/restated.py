"""Restated: statements of a released or settled bundle that do not follow from its other parts."""

from leeward.derived.settle.tidying import tidied_findings
from leeward.publishing.bundle import Bundle
from leeward.publishing.bundle.bundle_files import CERTIFICATE
from leeward.publishing.bundle.software import wrote_words
from leeward.publishing.release.restatement import certificate_findings


def restated_findings(bundle: Bundle) -> tuple[str, ...]:
    """What does not follow from the rest of a sound bundle, in plain words; none if all does."""
    found = certificate_findings(bundle.certificate)
    if not found and wrote_words(bundle.certificate):
        found = tuple(tidied_findings(bundle))
    return tuple(f"{CERTIFICATE} contradicts itself: {finding}" for finding in found)
