"""What the front page of the administration says."""

from typing import Any

from django import template

from leaderboard.pages.administration.waiting import Part, waiting_for

register = template.Library()


@register.simple_tag
def what_waits(user: Any) -> tuple[Part, ...]:
    return waiting_for(user)
