"""The pictures of a ranking: rows in, a finding, a Plotly figure and its data table out. Pure: no ORM, no request."""

from leaderboard.charts.base import Chart, ChartRow, Column, Figure, Table, strict_json
from leaderboard.charts.dates import dates
from leaderboard.charts.distribution import distribution
from leaderboard.charts.heatmap import HeatRow, heat_map, heat_map_to_come
from leaderboard.charts.references import reference
from leaderboard.charts.scores import scores
from leaderboard.charts.sizes import sizes

__all__ = [
    "Chart",
    "ChartRow",
    "Column",
    "Figure",
    "HeatRow",
    "Table",
    "dates",
    "distribution",
    "heat_map",
    "heat_map_to_come",
    "reference",
    "scores",
    "sizes",
    "strict_json",
]
