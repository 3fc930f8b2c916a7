"""Why replies could not be read, counted by like reasons."""

import re
from collections import Counter

from evaluation.models import ItemState, Run

NAMES_CHANGED, NUMBER_REFUSED, NAME_MISSING = "names changed", "a number refused", "a name missing"
_SAW = re.compile(r" missing \(saw (?P<seen>[^)]*)")

_ALL_RENAMED = re.compile(
    r"no scores found \(saw [^),]+(?:, [^),]+){2}"
)  # one or two may be anything that has a number


def short_reason(reason: str) -> str:
    """The reason without what is of one item alone, so that like reasons count together."""
    if saw := _SAW.search(reason):
        return NAMES_CHANGED if saw["seen"][:1].isalpha() and not saw["seen"].startswith("several") else NUMBER_REFUSED
    if reason.endswith(" missing"):
        return NAME_MISSING
    if _ALL_RENAMED.match(reason):
        return NAMES_CHANGED
    return reason.partition(" (saw")[0] or "no reason stored"


def unread_reasons(run: Run) -> Counter[str]:
    """Reason -> how many replies of the run could not be read for it. One query."""
    unread = run.results.filter(state=ItemState.UNREAD)
    return Counter(short_reason(reason) for reason in unread.order_by().values_list("reason", flat=True))
