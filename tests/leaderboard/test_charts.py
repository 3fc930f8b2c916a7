"""Charts as pure functions: findings from the rows, figures that Plotly takes, axes that one value cannot burst."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest

from evaluation.benchmarks import BENCHMARKS
from leaderboard import charts
from leaderboard.charts import Chart, ChartRow, Figure, HeatRow, Table
from leaderboard.charts.axes import Axis, axis_of, step_of
from leaderboard.charts.base import Column, strict_json
from leaderboard.charts.heatmap import MOST_ROWS
from leaderboard.charts.labels import Spot, box_at, figure_name, places, plain_name
from leaderboard.charts.references import MEASURES

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = '<a href="https://x.example">Best</a>'


def row(score: float, name: str = "", **fields: Any) -> ChartRow:
    defaults = {"name": name or f"model {score:g}", "organisation": "maker", "origin": "measured"}
    return ChartRow(score=score, **{**defaults, **fields})


def field(n: int = 30) -> list[ChartRow]:
    """Models whose score follows MMLU, whose sizes and dates rise with it; every third is a published figure."""
    rng = np.random.default_rng(7)
    return [
        row(
            30 + 2 * at + float(rng.normal(0, 3)),
            f"model {at}",
            origin="published" if at % 3 == 0 else "imported",
            approximate=at % 3 == 0,
            low=28.0 + 2 * at,
            high=32.0 + 2 * at,
            size=0.5 * 1.25**at,
            released_on=date(2023, 1, 1) + timedelta(days=14 * at),
            references={"mmlu": 30.0 + 2 * at, "arena_elo": 1000.0 + 9 * at, "magi_hard": 20.0 + at},
        )
        for at in range(n)
    ]


def heat_rows(n: int = 4) -> list[HeatRow]:
    rows = [row(80.0 - at, f"model {at}", run_id=at) for at in range(n)]
    return [HeatRow(each, (2.0, 9.0 - at, None if at == 1 else 5.0)) for at, each in enumerate(rows)]


def all_charts(rows: Sequence[ChartRow]) -> dict[str, Chart]:
    made = {name: charts.reference(rows, name) for name in MEASURES}
    others = [charts.scores(rows), charts.sizes(rows), charts.dates(rows), charts.distribution(rows)]
    return made | {chart.name: chart for chart in others}


def said(text: str) -> str:
    return text.replace("\u00a0", " ")


def figure(chart: Chart) -> Figure:
    assert chart.figure is not None, chart.title
    return chart.figure


def traces(chart: Chart) -> list[dict[str, Any]]:
    return [dict(trace) for trace in figure(chart).data]


def with_colours(value: Any) -> Any:
    """The figure as the browser makes it: each token is a colour."""
    if isinstance(value, str):
        return "#7c2459" if value.startswith("--") else value
    if isinstance(value, dict):
        return {name: with_colours(entry) for name, entry in value.items()}
    return [with_colours(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", [*all_charts(field()), "items"])
def test_plotly_takes_every_trace_and_every_setting_of_a_figure(name: str) -> None:
    heat = charts.heat_map(heat_rows(), (1, 2, 3), n_models=4)
    chart = (all_charts(field()) | {"items": heat})[name]
    plain = with_colours(json.loads(strict_json(figure(chart))))
    checked = go.Figure(data=plain["data"], layout=plain["layout"])
    assert len(checked.data) == len(figure(chart).data) > 0
    for path, value in plain["narrow"].items():
        checked.layout[path] = value


@pytest.mark.parametrize("name", [*all_charts(field()), "items"])
def test_a_figure_names_only_tokens_that_the_sheet_has_and_a_height_that_it_knows(name: str) -> None:
    heat = charts.heat_map(heat_rows(), (1, 2, 3), n_models=4)
    chart = (all_charts(field()) | {"items": heat})[name]
    tokens = set(re.findall(r'"(--[\w-]+)"', strict_json(figure(chart))))
    sheet = (ROOT / "static/css/site.css").read_text()
    assert tokens
    assert all(f"  {token}: light-dark(" in sheet for token in tokens)
    assert set(re.findall(r'"((?:#|rgb)[^"]*)"', strict_json(figure(chart)))) == {"rgba(0,0,0,0)"}
    heights = (ROOT / "static/css/charts.css").read_text()
    assert f".chart-box.h-{chart.height} {{ height: {chart.height}px; }}" in heights


def test_every_height_of_a_heat_map_has_its_class() -> None:
    sheet = (ROOT / "static/css/charts.css").read_text()
    for n in range(1, MOST_ROWS + 1):
        rows = [row(1.0 * at, f"model {at}", run_id=at) for at in range(n)]
        height = charts.heat_map_to_come(rows, n).height
        assert height == charts.heat_map([HeatRow(each, (1.0,)) for each in rows], (1,), n_models=n).height
        assert f".chart-box.h-{height} {{" in sheet


def test_the_title_of_a_relation_gives_r_and_n_and_the_sentence_its_interval() -> None:
    x = [40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 45.0, 65.0]
    y = [41.0, 44.0, 65.0, 61.0, 82.0, 79.0, 47.0, 60.0]
    chart = charts.reference([row(b, references={"mmlu": a}) for a, b in zip(x, y, strict=True)], "mmlu")
    r = float(np.corrcoef(x, y)[0, 1])
    low, high = np.tanh(np.arctanh(r) + np.array([-1, 1]) * 1.959964 / np.sqrt(5))
    assert said(chart.title) == f"Score correlates with MMLU: r = {r:.2f}, n = 8"
    assert f"95 % interval {low:.2f} to {high:.2f} (Fisher)" in said(chart.how)
    assert said(chart.source).startswith("n = 8: 8 measured.")


@pytest.mark.parametrize(
    ("scores", "start"),
    [
        ([10.0, 20.0, 30.0, 40.0, 50.0, 61.0, 70.0, 80.0], "Score correlates with MMLU: r = 1.00"),
        ([80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 11.0], "Score falls as MMLU rises: r = −1.00"),
        ([40.0, 20.0, 45.0, 22.0, 39.0, 30.0, 44.0, 21.0], "No clear relation between score and MMLU: r = −0."),
        ([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0], "Too few models to compare the score with MMLU: n = 7"),
        ([], "Too few models to compare the score with MMLU: n = 0"),
        ([5.0] * 8, "The score cannot be compared with MMLU, since one of them never varies: n = 8"),
    ],
)
def test_a_relation_is_called_what_its_interval_allows(scores: list[float], start: str) -> None:
    rows = [row(score, references={"mmlu": 10.0 * at}) for at, score in enumerate(scores)]
    chart = charts.reference(rows, "mmlu")
    assert said(chart.title).startswith(start)
    assert (chart.figure is None) == start.startswith(("Too few", "The score cannot"))


def test_published_scores_are_never_mixed_with_runs_in_silence() -> None:
    mixed = charts.reference(field(), "mmlu")
    assert said(mixed.source).startswith("n = 30: 20 imported, 10 published.")
    assert "over the 20 dots alone r = " in said(mixed.how)
    symbols = {trace["marker"]["symbol"] for trace in traces(mixed) if trace.get("mode") == "markers"}
    assert symbols == {"circle", "circle-open"}
    alone = charts.reference([each for each in field() if each.origin == "imported"], "mmlu")
    assert "alone" not in alone.how
    assert {trace["marker"]["symbol"] for trace in traces(alone) if trace.get("mode") == "markers"} == {"circle"}


def test_baselines_and_demonstrations_are_no_models_in_any_finding() -> None:
    wild = row(999.0, "apart", size=1e9, released_on=date(1999, 1, 1), references=dict.fromkeys(MEASURES, 5000.0))
    apart = [replace(wild, origin="baseline"), replace(wild, origin="demo", score=-999.0)]
    with_them, without = all_charts([*field(), *apart]), all_charts(field())
    for name, chart in without.items():
        assert with_them[name].title == chart.title
        assert with_them[name].table == chart.table


def test_the_line_is_least_squares_and_ends_where_the_models_end() -> None:
    x = [10.0, 20.0, 30.0, 40.0, 45.0, 50.0, 55.0, 60.0]
    y = [12.0, 19.0, 33.0, 37.0, 47.0, 49.0, 52.0, 63.0]
    chart = charts.reference([row(b, references={"mmlu": a}) for a, b in zip(x, y, strict=True)], "mmlu")
    line = next(trace for trace in traces(chart) if trace["mode"] == "lines" and "fill" not in trace)
    slope, intercept = np.polyfit(x, y, 1)
    assert line["x"][0] == 10.0
    assert line["x"][-1] == 60.0
    assert line["y"] == pytest.approx([intercept + slope * at for at in line["x"]])


def test_one_wild_value_does_not_burst_an_axis_and_is_held_at_its_edge() -> None:
    far = {"mmlu": 9e124, "arena_elo": 1e9, "magi_hard": -1e9}
    rows = [*field(), row(-4757.0, "wild", references=far, size=1e12, released_on=date(1904, 1, 1))]
    for chart in (made for name, made in all_charts(rows).items() if name != "distribution"):
        y = figure(chart).layout["yaxis"]
        assert isinstance(y, dict)
        low, high = y["range"]
        assert -20 < low < high < 110
        dots = [trace for trace in traces(chart) if trace["mode"] == "markers"]
        assert all(low <= value <= high for trace in dots for value in trace["y"])
        assert [len(trace["y"]) for trace in dots if "triangle" in trace["marker"]["symbol"]] == [1]
        assert "A triangle is a model beyond the edge of the picture: 1 model." in chart.how
    x = figure(charts.reference(rows, "mmlu")).layout["xaxis"]
    assert isinstance(x, dict)
    assert 0 < x["range"][0] < x["range"][1] < 110
    assert any(cell == 9e124 for cells in charts.reference(rows, "mmlu").table.rows for cell in cells)


def test_values_on_a_measures_own_scale_are_never_beyond_the_edge() -> None:
    narrow = [70.0 + at / 100 for at in range(50)]
    assert axis_of([*narrow, 3.0], scale=Axis(0, 100)).low < 3.0
    assert axis_of([*narrow, 3.0]).low > 60.0


@pytest.mark.parametrize("values", [[], [5.0], [5.0, 5.0, 5.0, 5.0], [nan, inf], [1.0, nan]])
def test_an_axis_is_never_empty(values: list[float]) -> None:
    axis = axis_of(values)
    assert axis.low < axis.high
    assert isfinite(axis.low + axis.high)


def test_bars_are_a_round_number_of_points_wide() -> None:
    assert [step_of(span, 18) for span in (80.0, 8.0, 100.0, 19.0, 0.5)] == [5.0, 0.5, 10.0, 2.0, 0.05]


def test_models_of_one_size_have_a_picture_and_no_relation() -> None:
    chart = charts.sizes([row(50.0 + at, str(at), size=7) for at in range(8)])
    assert said(chart.title) == (
        "The score cannot be compared with the logarithm of size, since one of them never varies: n = 8"
    )
    assert chart.how.startswith("Line: the best score among models up to each size.")
    assert ". ." not in chart.how


def test_no_smaller_model_reaches_one_on_the_frontier_of_size() -> None:
    rows = [row(50.0, "a", size=7), row(60.0, "b", size=7), row(55.0, "c", size=13), row(70.0, "d", size=70)]
    rows += [row(70.0, "e", size=180), row(20.0, "f", size=1)]
    accents = [trace for trace in traces(charts.sizes(rows)) if trace.get("marker", {}).get("color") == "--accent"]
    names = [text.partition("<br>")[0] for text in accents[0]["text"]]
    assert names == ["f", "b", "d"]
    assert accents[0]["x"] == pytest.approx([1.0, 7.0, 70.0])


def test_the_best_score_so_far_is_told_with_its_dates() -> None:
    rows = [
        row(40.0, "first", released_on=date(2023, 3, 1)),
        row(35.0, "lower", released_on=date(2023, 5, 1)),
        row(62.5, "later", released_on=date(2024, 2, 1), month_only=True),
        row(55.0, "after", released_on=date(2024, 6, 9)),
    ]
    chart = charts.dates(rows)
    assert (
        chart.title
        == "Where dates are known, the best score rose from 40.00 (1 Mar 2023) to 62.50 (Feb 2024) in 1 step"
    )
    assert [cells[2] for cells in chart.table.rows] == ["2024-02", "2024-06-09", "2023-03-01", "2023-05-01"]
    assert charts.dates(rows[:1] + rows[1:2] * 2).title == "No later model passes the 40.00 points of 1 Mar 2023"
    assert said(charts.dates(rows[:2]).title) == "Too few release dates are known: n = 2"


def test_every_model_is_in_one_bar() -> None:
    rows = [*field(), row(-4757.0, "wild"), row(55.0, "open", origin="published")]
    chart = charts.distribution(rows)
    counts = [cells[2:] for cells in chart.table.rows]
    assert sum(int(here or 0) for here, _, _ in counts) == 21
    assert sum(int(published or 0) for _, published, _ in counts) == 11
    assert sum(int(models or 0) for _, _, models in counts) == len(rows)
    assert sum(sum(trace["y"]) for trace in traces(chart)) == len(rows)
    assert len(chart.table.rows) < 30


def test_the_middle_half_is_told() -> None:
    chart = charts.distribution([row(float(score)) for score in (10, 20, 30, 40, 50)])
    assert chart.title == "The middle half of the 5 models scores 20.00 to 40.00"
    assert "the line is the median, 30.00" in chart.how
    assert said(charts.distribution([row(1.0)]).title) == "Too few scores to show how they are spread: n = 1"


def test_scores_within_the_interval_of_the_leader_are_counted() -> None:
    rows = [row(80.0, "best", rank=1, low=76.0, high=84.0), row(78.0), row(76.0), row(75.9)]
    assert charts.scores(rows).title == "2 other scores lie within the interval of best"
    assert charts.scores([rows[0], row(60.0)]).title == "No other score lies within the interval of best"
    assert charts.scores([row(10.0), row(30.0), row(20.0)]).title == (
        "Scores run from 10.00 to 30.00, with a median of 20.00"
    )
    assert charts.scores([row(70.0)]).title == "The only score here is 70.00"
    assert charts.scores([row(70.0), row(70.0)]).title == "All scores here are 70.00"
    assert charts.scores([]).title == "No model has a score here yet"
    assert charts.scores([]).figure is None


def test_equal_scores_share_a_place_and_a_quoted_interval_is_not_over_items() -> None:
    ends: dict[str, Any] = {"low": 60.0, "high": 80.0}
    table = charts.scores([row(70.0), row(90.0), row(70.0, origin="published", **ends), row(65.0, **ends)]).table
    assert [(each[0], each[-1]) for each in table.rows] == [(1, ""), (2, ""), (2, "as published"), (4, "over items")]


def test_the_best_baseline_is_a_level_line_that_cannot_press_the_models_together() -> None:
    constant, other = "Always answers 3 3 3 3", "Reference with noise"
    baselines = [row(22.0, constant, origin="baseline"), row(70.0, other, origin="baseline")]
    near = charts.scores([*field(), *baselines])
    assert f"Dotted: {constant}, 22.00 points (the best fixed answer); {other}" in near.how
    assert near.how.endswith("None of them is a model.")
    shapes = figure(near).layout["shapes"]
    assert isinstance(shapes, list)
    assert [shape["y0"] for shape in shapes] == [22.0, 70.0]
    far = figure(charts.scores([*field(), row(-9999.0, constant, origin="baseline")])).layout["yaxis"]
    assert isinstance(far, dict)
    assert far["range"][0] > -40


def test_of_several_answers_that_read_nothing_the_best_is_the_line_and_random_ones_are_none() -> None:
    """As on the official bank, where four numbers by position beat one number for all."""
    names = {"Always answers 3": 38.86, "Always answers 4, 5, 2, 3": 43.37, "Random answers (expected)": 41.0}
    for chart in (charts.scores, charts.distribution):
        found = chart([*field(), *(row(score, name, origin="baseline") for name, score in names.items())])
        assert "Dotted: Always answers 4, 5, 2, 3, 43.37 points" in found.how
        assert found.how.endswith("It is no model.")
        assert not any(name in found.how for name in ("Always answers 3,", "Random"))


def test_a_heat_map_of_one_model_speaks_of_one() -> None:
    chart = charts.heat_map(heat_rows()[:1], (11, 12, 13), n_models=1)
    assert "is the hardest for this model: " in chart.title
    assert "on average" not in chart.title


def test_a_heat_map_sorts_items_by_ease_and_leaves_out_what_was_not_read() -> None:
    chart = charts.heat_map(heat_rows(), (11, 12, 13), n_models=6)
    scores, unread = traces(chart)
    assert scores["x"] == ["item 12", "item 13", "item 11"]
    assert scores["y"] == ["model 0", "model 1", "model 2", "model 3"]
    assert [value for value in scores["z"][1] if isfinite(value)] == [8.0, 2.0]
    assert unread["z"] == [[None] * 3, [None, 1, None], [None] * 3, [None] * 3]
    assert chart.title == "Item 11 is the hardest for these 4 models: 2.0 points on average, against 7.5 for item 12"
    assert said(chart.source).startswith("n = 4: 4 measured.")
    assert "Not shown: 2 rows without" in chart.source
    assert chart.table.rows[1] == (13, 5.0, 5.0, 5.0, 3)
    assert chart.data.rows[1] == ("model 1", 8.0, None, 2.0)
    assert json.loads(strict_json(figure(chart)))["data"][0]["z"][1] == [8.0, None, 2.0]


def test_items_of_which_no_value_is_good_or_bad_are_neither_easy_nor_hard() -> None:
    """As the moods of EmotionBench."""
    mood = BENCHMARKS["emotionbench"].item_measures[0]
    chart = charts.heat_map(heat_rows(), (11, 12, 13), n_models=4, measure=mood)
    assert traces(chart)[0]["x"] == ["item 12", "item 13", "item 11"]
    assert (
        chart.title
        == "Positive affect of 4 models is lowest for item 11: 2.0 points on average, against 7.5 for item 12"
    )
    to_come = charts.heat_map_to_come([row(1.0)], 1, mood)
    for texts in (chart.title, chart.how, strict_json(figure(chart)), to_come.how):
        assert not re.search("easiest|hardest", texts), texts


def test_one_wild_item_score_does_not_fade_the_rest_of_a_heat_map() -> None:
    rows = [
        HeatRow(row(50.0 + at, f"model {at}", run_id=at), tuple(float((at + n) % 11) for n in range(20)))
        for at in range(9)
    ]
    wild = HeatRow(row(1.0, "wild", run_id=99), (8e9, *([5.0] * 19)))
    assert traces(charts.heat_map([*rows, wild], range(20), n_models=10))[0]["zmax"] == 10.0


def test_a_heat_map_draws_at_most_sixty_rows_and_names_each_once() -> None:
    rows = [HeatRow(row(90.0, "same name", run_id=at), (1.0, 2.0)) for at in range(70)]
    chart = charts.heat_map(rows, (1, 2), n_models=70)
    names = traces(chart)[0]["y"]
    assert len(names) == MOST_ROWS == len(set(names))
    assert "Not shown: 10 rows without item scores" in chart.source
    assert "or after the first 60" in chart.source
    nothing = charts.heat_map([HeatRow(row(1.0), (None, None))], (1, 2), n_models=1)
    assert nothing.figure is None
    assert nothing.title == "None of these models has item scores: runs have them, published figures do not"


def test_markup_in_a_name_stays_text_in_every_figure() -> None:
    rows = [replace(each, name=HOSTILE) for each in field()]
    made = [*all_charts(rows).values(), charts.heat_map([HeatRow(rows[0], (1.0,))], (1,), n_models=1)]
    for chart in made:
        texts = strict_json(figure(chart).data).replace("<br>", "").replace("<extra></extra>", "")
        assert "<" not in texts, chart.name
        if chart.name != "distribution":
            assert "&lt;a href=" in texts
            assert any(HOSTILE in cells for cells in chart.data.rows)


def test_what_cannot_be_seen_in_a_name_is_written_out_and_a_long_name_is_cut() -> None:
    assert plain_name("safe\u202eevil") == "safe[U+202E]evil"
    assert plain_name("a\x00b\u200b") == "a[U+0000]b[U+200B]"
    assert len(plain_name("W" * 80)) == 40
    assert figure_name("R&D <b>") == "R&amp;D &lt;b&gt;"


def test_labels_never_cover_each_other_nor_more_than_one_dot_nor_leave_the_picture() -> None:
    rng = np.random.default_rng(3)
    spots = [Spot(float(x), float(y)) for x, y in rng.random((60, 2))]
    named = [(f"model number {at}", spot) for at, spot in enumerate(spots[:20])]
    sides = places(named, spots[20:], most=6)
    boxes = [box_at(side, *label) for side, label in zip(sides, named, strict=True) if side]
    assert 1 <= len(boxes) <= 6
    assert all(box.inside for box in boxes)
    assert not any(one.meets(other) for at, one in enumerate(boxes) for other in boxes[:at])


def test_what_is_not_a_finite_number_becomes_null() -> None:
    text = strict_json({"a": [nan, inf, -inf, 1.5], "b": (None, {"c": nan})})

    def refuse(name: str) -> float:
        raise AssertionError(name)

    assert json.loads(text, parse_constant=refuse) == {"a": [None, None, None, 1.5], "b": [None, {"c": None}]}


def test_a_table_is_written_by_the_rule_of_rounding_and_missing_values_as_a_dash() -> None:
    table = Table((Column("model", "Model"), Column("score", "Score", 2)), (("one", -6.284), ("", None), ("two", 1.0)))
    assert [[cell.text for cell in cells] for cells in table.shown(2)] == [["one", "−6.28"], ["–", "–"]]
