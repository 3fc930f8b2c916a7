"""The rounding rule and the visible marks as template filters."""

from django import template

from leaderboard import rounding, visible

register = template.Library()
for _filter in (
    rounding.number,
    rounding.points,
    rounding.count,
    rounding.percent,
    rounding.size,
    rounding.day,
    rounding.month,
    rounding.moment,
    rounding.duration,
    visible.marked,
):
    register.filter(_filter.__name__, _filter)
