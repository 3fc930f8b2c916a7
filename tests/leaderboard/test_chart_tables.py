"""The rows of the table below a chart: what is a stranger's text in them, and what is a number."""

from leaderboard.charts import Column
from leaderboard.pages.charts.table_markup import rows_markup


def test_names_are_escaped_and_keep_their_direction_and_numbers_stand_bare() -> None:
    columns = (Column("model", "Model"), Column("score", "Score", digits=1))
    assert rows_markup(columns, [("<b>", "61.5"), ("b & c", "−3.0")]) == (
        '<tr><td class="name"><bdi>&lt;b&gt;</bdi></td><td class="n">61.5</td></tr>\n'
        '<tr><td class="name"><bdi>b &amp; c</bdi></td><td class="n">−3.0</td></tr>'
    )
