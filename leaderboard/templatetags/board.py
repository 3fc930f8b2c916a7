"""The rounding rule and the visible marks as template filters."""

from django import template

from leaderboard import rounding, visible
from leaderboard.pages.rankings.row_markup import rows_markup

register = template.Library()
for _filter in (
    rounding.number,
    rounding.points,
    rounding.with_sign,
    rounding.figure,
    rounding.score,
    rounding.score_number,
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
register.simple_tag(rows_markup)
