"""Refreshing the statistics: what is computed anew, what is left alone, and that all of it rests on counted results."""

from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils.module_loading import import_string

from evaluation.models import ItemBank, ItemResult, LanguageModel, Run
from leaderboard.models import StatisticsRow, StatisticsSection
from leaderboard.pages.statistics import correlation as statistics_correlation
from leaderboard.pages.statistics.ready import is_kept
from leaderboard.standings import refresh_standings
from leaderboard.statistics.correlation import ROW_COLUMNS
from leaderboard.statistics.refreshing import Refreshed, refresh_statistics
from leaderboard.tasks import refresh_standings as standings_task
from leaderboard.tasks import refresh_statistics as task
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import publish
from tests.leaderboard.scored_runs import scored, store

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PER_RANKING, OF_THE_BOARD = 10, 3


def section(name: str, ranking: str) -> StatisticsSection:
    return StatisticsSection.objects.get(section=name, ranking=ranking)


def row(model: str) -> StatisticsRow:
    return StatisticsRow.objects.get(model__name=model)


def points(model: str) -> Sequence[float]:
    found: Sequence[float] = np.frombuffer(row(model).scores).tolist()
    return found


@pytest.fixture
def field() -> ItemBank:
    """Three models on a bank of five items, the first with two passes."""
    bank = make_bank(5)
    scored(bank, [9, 8, 7, 9, 8], [9, 8, 7, 8, 8], name="m/first")
    scored(bank, [8, 7, 7, 9, 6], name="m/second")
    scored(bank, [5, None, 2, 4, 3], name="m/third")
    refresh_standings()
    return bank


def test_a_second_refresh_computes_nothing(field: ItemBank) -> None:
    assert refresh_statistics() == Refreshed(PER_RANKING + OF_THE_BOARD, 0)
    before = list(StatisticsSection.objects.values_list("pk", "computed_at"))
    assert refresh_statistics() == Refreshed(0, PER_RANKING + OF_THE_BOARD)
    assert list(StatisticsSection.objects.values_list("pk", "computed_at")) == before


def test_a_refresh_without_changes_takes_few_queries(field: ItemBank, django_assert_max_num_queries: Any) -> None:
    task()
    with django_assert_max_num_queries(12):
        task()


def test_a_new_run_changes_the_sections_of_its_ranking_alone(field: ItemBank) -> None:
    other = make_bank(5)
    scored(other, [5, 5, 6, 7, 5], name="m/other")
    refresh_standings()
    refresh_statistics()
    run = scored(field, [6, 6, 6, 7, 6], name="m/fourth")
    refresh_standings(run.pk)
    assert refresh_statistics(run.pk).computed == PER_RANKING + 2  # and the sections between banks and measures
    assert section("scores", field.slug).n == 4
    assert section("scores", other.slug).n == 1


def test_only_the_model_with_a_new_run_is_read_again(field: ItemBank) -> None:
    refresh_statistics()
    StatisticsRow.objects.filter(model__name="m/third").update(scores=np.full(5, 11.0).tobytes())
    model = LanguageModel.objects.get(name="m/second")
    run = scored(field, [9, 7, 7, 9, 6], model=model)
    refresh_standings()
    refresh_statistics(run.pk)
    assert points("m/third") == [11.0] * 5
    assert points("m/second") == [85.0, 70.0, 70.0, 90.0, 60.0]


def test_scores_are_means_over_passes_and_missing_stays_missing(field: ItemBank) -> None:
    refresh_statistics()
    assert points("m/first") == [90.0, 80.0, 70.0, 85.0, 80.0]
    assert np.isnan(points("m/third")[1])
    assert row("m/first").repeats["n"] == 2
    assert row("m/second").repeats == {}


def test_the_revision_is_read_where_it_counts() -> None:
    bank = make_bank(3)
    run = make_revised(bank)
    refresh_standings()
    refresh_statistics()
    assert points(run.model.name) == [90.0, 80.0, 70.0]
    assert np.frombuffer(row(run.model.name).answers, dtype=np.float32).tolist() == [1.0, 2.0, 3.0, 4.0] * 3


def make_revised(bank: ItemBank) -> Run:
    run = scored(bank, [1, 1, 1], name="m/revised", counted_part="revised")
    ItemResult.objects.filter(run=run).delete()
    store(run, [[1, 1, 1]], revised=[[9, 8, 7]])
    assert set(ItemResult.objects.filter(run=run).values_list("part", flat=True)) == {"revised"}
    return run


def test_a_run_that_is_taken_down_leaves_no_trace(field: ItemBank) -> None:
    refresh_statistics()
    Run.objects.filter(model__name="m/third").update(published=False)
    refresh_standings()
    assert refresh_statistics().computed > 0
    assert not StatisticsRow.objects.filter(model__name="m/third").exists()
    assert "third" not in str(list(StatisticsSection.objects.values_list("value", flat=True)))


def test_a_ranking_that_is_gone_takes_its_sections_along(field: ItemBank) -> None:
    refresh_statistics()
    Run.objects.all().delete()
    refresh_standings()
    refresh_statistics()
    assert set(StatisticsSection.objects.values_list("ranking", flat=True)) == {""}
    assert not StatisticsRow.objects.exists()


def test_runs_that_do_not_count_have_no_part(field: ItemBank) -> None:
    scored(field, [1, 1, 1, 1, 1], name="m/hidden", published=False)
    scored(field, [1, 1, 1, 1, 1], name="m/demo", origin="demo")
    scored(field, [1, 1, 1, 1, 1], name="m/baseline", origin="baseline")
    refresh_standings()
    refresh_statistics()
    assert set(StatisticsRow.objects.values_list("model__name", flat=True)) == {"m/first", "m/second", "m/third"}


def test_a_new_figure_changes_the_other_measures(field: ItemBank) -> None:
    models = [make_model() for _ in range(5)]
    for at, model in enumerate(models):
        publish(model, "eq-bench-v2", 50.0 + at**2)
        publish(model, "mmlu", 40.0 + 3 * at)
    refresh_standings()
    refresh_statistics()
    before = section("correlation", "").value["versions"][0]["rows"][0]
    assert before[:4] == ["eq-bench-v2", "MMLU", "all models", 5]
    late = make_model()
    publish(late, "eq-bench-v2", 20.0)
    publish(late, "mmlu", 90.0)
    refresh_standings()
    refresh_statistics()
    after = section("correlation", "").value["versions"][0]["rows"][0]
    assert after[3] == 6
    assert after[4] < 0 < before[4]


def test_a_run_that_is_not_there_computes_nothing(field: ItemBank) -> None:
    assert refresh_statistics(0) == Refreshed(0, 0)


def test_the_clock_rings_the_task(field: ItemBank) -> None:
    assert "leaderboard.tasks.refresh_statistics" in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    task()
    assert StatisticsSection.objects.count() == PER_RANKING + OF_THE_BOARD


def test_one_task_computes_standings_and_then_the_statistics_of_a_run_that_ended(field: ItemBank) -> None:
    refresh_statistics()
    run = scored(field, [6, 6, 6, 7, 6], name="m/fourth")
    for name in settings.RUN_FINISHED_TASKS:
        if "refresh" in name:
            import_string(name)(run.pk)
    assert section("scores", field.slug).n == 4
    assert refresh_statistics().computed == 0


@pytest.mark.parametrize(
    "refresh", [task, standings_task, lambda: call_command("refresh_statistics", stdout=StringIO())]
)
def test_whoever_computes_sections_stores_what_their_pages_show(field: ItemBank, refresh: Callable[[], None]) -> None:
    refresh()
    sections = StatisticsSection.objects.all()
    assert len(sections) == PER_RANKING + OF_THE_BOARD
    assert all(map(is_kept, sections))


def test_the_command_says_what_it_did(field: ItemBank) -> None:
    out = StringIO()
    call_command("refresh_statistics", stdout=out)
    call_command("refresh_statistics", stdout=out)
    assert out.getvalue().splitlines() == [
        f"{PER_RANKING + OF_THE_BOARD} sections computed, 0 unchanged.",
        f"0 sections computed, {PER_RANKING + OF_THE_BOARD} unchanged.",
    ]


@pytest.mark.thorough
def test_shipped_figures_give_the_published_correlations_when_they_are_loaded() -> None:
    """Specification, sections 5 and 6; `load_published` announces what it loaded, so nothing else is called."""
    call_command("load_published", verbosity=0, stdout=StringIO())

    def found_of(key: str) -> Any:
        return section("correlation", "").value[key]

    versions = found_of("versions")
    rows = {
        (version["version"], row[1], row[2]): dict(zip(ROW_COLUMNS, row, strict=True))
        for version in versions
        for row in version["rows"]
    }
    for place, expected in PRINTED.items():
        found = rows[place]
        shown = [found["n"], *(round(found[name], 4) for name in ROW_COLUMNS[4:17])]
        assert shown == expected, place
    compared = {(row[0], row[1]): dict(zip(ROW_COLUMNS, row, strict=True)) for row in found_of("compared")}
    for pair, expected in PRINTED_BESIDE.items():
        found = compared[pair]
        assert [found["n"], *(round(found[name], 4) for name in BY_FORMULA)] == expected[:8], pair
        drawn = [found[name] for name in BY_DRAWS]
        assert drawn == pytest.approx(expected[8:], abs=0.01), pair
    # The specification's row keeps Qwen-14B-Chat, whose figure is that of converted weights: 19 models, r = 0.9416.
    label = "from the Open LLM Leaderboard v1 only, without the approximate match of Qwen-14B-Chat"
    dropped = rows[V1, "MMLU", label]
    assert (dropped["n"], round(dropped["pearson"], 4)) == (18, 0.9406)
    # Models of one maker are alike: with makers drawn as wholes the interval is wider than Fisher's 0.766 to 0.872.
    whole = rows[V2, "MMLU", ALL]
    makers = [whole[name] for name in ("n_makers", "pearson_makers_low", "pearson_makers_high")]
    assert makers == [51, pytest.approx(0.741, abs=0.004), pytest.approx(0.879, abs=0.004)]
    # The table of models names mistral-large-2407 with open weights, the specification's rows count it among the APIs.
    assert (rows[V2, "MMLU", "open weights"]["n"], rows[V2, "MMLU", "API models"]["n"]) == (118, 24)
    parts = {part.name: part for part in statistics_correlation.parts(section("correlation", "").value, 172)}
    assert parts["measures-v2"].title == "EQ-Bench v2, official scores: r = 0.83 with MMLU (n = 142)"
    assert "0.74 to 0.88 by a bootstrap that draws 51 makers with all their models" in parts["measures-v2"].source
    assert "mistral-large-2407" in parts["subsets-v2"].source
    assert "mistral-large-2407" not in parts["subsets-v1"].source
    claim = statistics_correlation.claims(section("correlation", "").value, 172)[0]
    assert (claim.figure, claim.interval) == ("r = 0.83", "0.74 to 0.88")
    v2 = versions[0]
    line = v2["lines"]["MMLU"]
    assert [round(line[key], 4) for key in ("intercept", "slope", "residual_sd")] == [-10.7001, 1.1628, 8.6361]
    outliers = sorted((point for point in line["points"] if abs(point[-1]) >= 2), key=lambda point: point[-1])
    assert [(point[0], round(point[-1], 2)) for point in outliers[:3]] == [
        ("phi-2", -3.41), ("Qwen1.5-4B-Chat", -2.94), ("Llama-3.2-1B-Instruct", -2.82),
    ]  # fmt: skip
    assert len(outliers) == 6
    partial = v2["partial"]
    assert (partial["n"], round(partial["linear"], 4), round(partial["ranks"], 4)) == (74, -0.0162, 0.1772)
    assert [round(v2["bend"][key], 4) for key in ("line", "parabola", "logit_r")] == [0.6825, 0.7309, 0.8398]
    found = section("scores", "eq-bench-v2").value
    assert (found["kind"], found["neighbours_tied"], found["neighbours"]) == ("published", 170, 171)
    # By the errors of both scores; by the median gap of all runs (4.6 points) it was 169 and 42.8 others.
    assert round(found["others_tied"]["mean"], 1) == 38.2


V2, V1, ALL = "eq-bench-v2", "eq-bench-v1", "all models"
FROM_OPEN_LLM_V2 = (
    "from the Open LLM Leaderboard v1 only, without the approximate matches of Qwen-14B-Chat, firefly-mixtral-8x7b "
    "and miqu-1-70b"
)
PRINTED: dict[tuple[str, str, str], list[float]] = {
    (V2, "MMLU", ALL): [
        142, 0.8261, 0.7656, 0.8722, 0.7622, 0.8725,
        0.8087, 0.7314, 0.8655, 0.7309, 0.8659, 0.6159, 0.5384, 0.6819,
    ],
    (V2, "MMLU", "no chain of thought, no approximate name matches"): [
        135, 0.8357, 0.7763, 0.8803, 0.7740, 0.8800,
        0.8195, 0.7435, 0.8747, 0.7387, 0.8746, 0.6293, 0.5538, 0.6968,
    ],
    (V2, "MMLU", "score of 60 or more"): [
        116, 0.7306, 0.6325, 0.8056, 0.6422, 0.8057,
        0.7259, 0.6124, 0.8101, 0.6166, 0.8067, 0.5275, 0.4367, 0.6070,
    ],
    (V2, "MMLU", FROM_OPEN_LLM_V2): [
        85, 0.8437, 0.7688, 0.8958, 0.7542, 0.8991,
        0.7806, 0.6639, 0.8602, 0.6489, 0.8656, 0.5893, 0.4694, 0.6859,
    ],
    (V2, "MMLU", "from HELM only"): [
        27, 0.7299, 0.4841, 0.8689, 0.5357, 0.8661,
        0.7157, 0.4223, 0.8734, 0.4063, 0.8895, 0.5343, 0.2911, 0.7373,
    ],
    (V2, "MMLU", "from the LMSYS table only"): [
        51, 0.8312, 0.7208, 0.9005, 0.7449, 0.9010,
        0.8591, 0.7437, 0.9247, 0.7436, 0.9184, 0.6879, 0.5805, 0.7774,
    ],
    (V2, "Arena Elo", ALL): [
        81, 0.7147, 0.5881, 0.8071, 0.6412, 0.7863,
        0.8168, 0.7119, 0.8861, 0.7208, 0.8812, 0.6263, 0.5335, 0.7042,
    ],
    (V2, "Arena Elo, June 2024", ALL): [
        65, 0.7674, 0.6440, 0.8518, 0.6899, 0.8311,
        0.8153, 0.6938, 0.8917, 0.6798, 0.9012, 0.6455, 0.5281, 0.7436,
    ],
    (V2, "Arena Elo, February 2024", ALL): [
        36, 0.8018, 0.6426, 0.8947, 0.7405, 0.8810,
        0.8587, 0.7110, 0.9338, 0.6987, 0.9322, 0.7018, 0.5460, 0.8095,
    ],
    (V2, "MAGI-Hard", ALL): [
        161, 0.7007, 0.6124, 0.7717, 0.6558, 0.7446,
        0.8222, 0.7544, 0.8726, 0.7543, 0.8713, 0.6327, 0.5691, 0.6936,
    ],
    (V2, "MMLU-Pro", ALL): [
        73, 0.7157, 0.5814, 0.8121, 0.6148, 0.8009,
        0.7278, 0.5788, 0.8298, 0.5749, 0.8319, 0.5431, 0.4124, 0.6487,
    ],
    (V2, "MT-bench", ALL): [
        36, 0.8425, 0.7106, 0.9171, 0.7310, 0.9245,
        0.8424, 0.6816, 0.9256, 0.6573, 0.9353, 0.6699, 0.4824, 0.8176,
    ],
    (V2, "MMLU", "with an official run file"): [
        65, 0.8483, 0.7620, 0.9049, 0.7558, 0.9077,
        0.7965, 0.6658, 0.8797, 0.6489, 0.8907, 0.6250, 0.4982, 0.7386,
    ],
    (V2, "MMLU", "without koala-7B, whose MMLU is at chance"): [
        141, 0.8120, 0.7469, 0.8616, 0.7481, 0.8605,
        0.8046, 0.7257, 0.8626, 0.7251, 0.8611, 0.6107, 0.5353, 0.6728,
    ],
    (V2, "parameters (log10)", ALL): [
        145, 0.6464, 0.5403, 0.7323, 0.5538, 0.7247,
        0.7273, 0.6279, 0.8033, 0.6274, 0.8055, 0.5553, 0.4706, 0.6313,
    ],
    (V1, "MMLU", ALL): [
        30, 0.9569, 0.9105, 0.9795, 0.9048, 0.9810,
        0.9407, 0.8594, 0.9756, 0.8502, 0.9736, 0.8055, 0.6991, 0.8908,
    ],
    (V1, "MMLU", "from the LMSYS table, with figures given for a whole family"): [
        18, 0.9606, 0.8952, 0.9855, 0.8870, 0.9928,
        0.9415, 0.8156, 0.9823, 0.7702, 0.9969, 0.8544, 0.6504, 0.9861,
    ],
    (V1, "MMLU", "from the LMSYS table, without oasst-pythia-12b, the weakest"): [
        17, 0.9420, 0.8430, 0.9793, 0.8583, 0.9890,
        0.9306, 0.7761, 0.9797, 0.7314, 0.9962, 0.8359, 0.6148, 0.9839,
    ],
    (V1, "MMLU", "without una-xaberius-34b, flagged by the Open LLM Leaderboard"): [
        29, 0.9565, 0.9084, 0.9796, 0.9033, 0.9818,
        0.9393, 0.8539, 0.9754, 0.8405, 0.9729, 0.8015, 0.6787, 0.8872,
    ],
    (V1, "EQ-Bench v2", ALL): [
        19, 0.9087, 0.7740, 0.9647, 0.7961, 0.9733,
        0.9351, 0.8041, 0.9795, 0.7622, 0.9911, 0.8246, 0.6419, 0.9515,
    ],
    (V1, "Arena Elo, February 2024", ALL): [
        15, 0.9194, 0.7696, 0.9733, 0.7701, 0.9742,
        0.9214, 0.7274, 0.9790, 0.6954, 0.9891, 0.7905, 0.5556, 0.9588,
    ],
    (V1, "MT-bench", ALL): [
        12, 0.8140, 0.4507, 0.9460, 0.4305, 0.9750,
        0.8531, 0.4657, 0.9661, 0.4193, 1.0000, 0.7273, 0.3333, 1.0000,
    ],
}  # fmt: skip
"""n; Pearson with Fisher's and the bootstrap interval; Spearman with Bonett and Wright's and the bootstrap interval;
Kendall with the bootstrap interval: as the specification prints them."""

BY_FORMULA = ("pearson", "pearson_low", "pearson_high", "spearman", "spearman_low", "spearman_high", "kendall")
BY_DRAWS = tuple(name for name in ROW_COLUMNS if "bootstrap" in name)
PRINTED_BESIDE: dict[tuple[str, str], list[float]] = {
    ("MAGI-Hard", "MMLU"): [
        134, 0.9111, 0.8770, 0.9361, 0.9654, 0.9481, 0.9770, 0.8503,
        0.8801, 0.9448, 0.9431, 0.9773, 0.8151, 0.8835,
    ],
    ("MMLU", "Arena Elo"): [
        74, 0.8547, 0.7782, 0.9062, 0.8837, 0.8069, 0.9311, 0.7126,
        0.7906, 0.9014, 0.8006, 0.9305, 0.6291, 0.7864,
    ],
}  # fmt: skip
"""n and the figures by formula, then the bootstrap bounds: these the specification draws in an order of models that the
shipped tables do not hold, so that they agree but for the error of the draws; the core's test has them exactly."""
