"""Why replies could not be read, counted by like reasons."""

from collections import Counter

from evaluation.models import ItemState, Run


def short_reason(reason: str) -> str:
    """The reason without the name in "NAME missing", so that like reasons count together."""
    return "a name missing" if reason.endswith(" missing") else reason or "no reason stored"


def unread_reasons(run: Run) -> Counter[str]:
    """Reason -> how many replies of the run could not be read for it. One query."""
    unread = run.results.filter(state=ItemState.UNREAD)
    return Counter(short_reason(reason) for reason in unread.order_by().values_list("reason", flat=True))
