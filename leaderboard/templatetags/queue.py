"""The line that every page carries while the queue stands still."""

from django import template
from django.template import Context

from leaderboard.pages.shared.stalls import stalled_line

register = template.Library()


@register.simple_tag(takes_context=True)
def queue_notice(context: Context) -> str:
    """The sentence, or "". A page that is made without a request, as after a fault, asks nothing."""
    return stalled_line() if "request" in context else ""
