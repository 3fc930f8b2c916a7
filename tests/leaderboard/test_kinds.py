"""Kinds of benchmarks: the registry, the generic words, the parts of pages, and what is checked at start-up."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.template import engines
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from leaderboard.kinds import GENERIC, KINDS, kind_of, scorer_changes
from leaderboard.kinds.base import Kind, KindPart
from leaderboard.kinds.eqbench import EQ_BENCH
from leaderboard.pages.statistics.page import Choice, kinds_for
from tests.factories import make_bank
from tests.kinds.toy import TOY_MINUTES
from tests.leaderboard.pages import board, finished, page

TOY = replace(
    TOY_MINUTES, item_measures=(replace(TOY_MINUTES.item_measures[0], note="Distance to the true number of minutes."),)
)


def test_a_kind_is_found_by_family_benchmark_and_bank() -> None:
    assert kind_of("eq-bench") is kind_of("eq-bench-v2-code") is kind_of("eq-bench-v1") is EQ_BENCH
    assert kind_of("a-table-that-somebody-printed") is GENERIC


def test_each_kind_with_a_section_in_the_methodology_has_a_name_there() -> None:
    assert [kind.family for kind in KINDS.values() if kind.methodology and not kind.title] == []


@pytest.mark.parametrize("family", sorted(KINDS))
def test_the_section_about_all_rankings_is_a_tab_of_each(family: str) -> None:
    choice = Choice(family, family, KINDS[family].sections)
    assert "agree" in {section.key for section in kinds_for(choice)}


def test_the_generic_words_are_true_of_any_benchmark() -> None:
    introduction = GENERIC.introduction("toy-minutes", "Toy: minutes", 12)
    assert introduction == "Toy: minutes has 12 items."
    assert GENERIC.introduction("toy-minutes", "Toy: minutes", None) == "Toy: minutes has items."
    assert not GENERIC.sections & {"emotions", "sensitivity", "scoring"}
    assert (GENERIC.full_scale, GENERIC.changes) == (frozenset(), ())


def test_every_kind_knows_its_scorers_changes() -> None:
    versions = [change.version for change in scorer_changes()]
    assert len(versions) == len(set(versions))
    assert {benchmark.scorer_version for benchmark in BENCHMARKS.values()} <= set(versions)


def check_messages() -> dict[str, str]:
    return {message.msg: message.id or "" for message in run_checks(tags=["kinds"])}


def test_a_benchmark_without_a_kind_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BENCHMARKS, TOY.name, TOY)
    found = check_messages()
    assert found["toy-minutes has no kind in leaderboard/kinds, so its pages have the generic words."] == "kinds.W1"
    monkeypatch.setitem(KINDS, TOY.family, Kind(TOY.family))
    assert not [words for words in check_messages() if "toy-minutes" in words]


def test_a_measure_without_a_note_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "kinds.E1" not in check_messages().values()
    silent = replace(TOY, measures=(*TOY.measures[:-1], replace(TOY.measures[-1], note="")))
    monkeypatch.setitem(BENCHMARKS, TOY.name, silent)
    assert check_messages()["The measure longest of toy-minutes has no note."] == "kinds.E1"


def part(words: Callable[[Any], str | None]) -> KindPart[Any]:
    """A part that says these words of its subject; None leaves it out."""
    (engine,) = engines.all()
    template: Any = engine.from_string("<p>{{ part.words }}</p>")

    def context(subject: Any) -> dict[str, object] | None:
        found = words(subject)
        return None if found is None else {"words": found}

    return KindPart(template.template, context)


@pytest.mark.django_db
@pytest.mark.database
def test_parts_of_a_kind_stand_on_its_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = replace(
        EQ_BENCH,
        ranking_part=part(lambda ranking: f"above {ranking.key} of {ranking.n_items}"),
        ranking_below=part(lambda ranking: f"below {ranking.key}"),
        run_part=part(lambda run: f"of run {run.pk}"),
        model_part=part(lambda found: f"of {found.model} in {found.ranking.key} by run {found.run.pk}"),
        item_part=part(lambda item: f"of item {item.item_id}"),
    )
    monkeypatch.setitem(KINDS, "eq-bench", kind)
    bank = make_bank(3, slug="scenes")
    run = finished(bank, 70.0, name="maker/amber")
    ranking = board(client, "/rankings/scenes/")
    assert ranking.index("above scenes of 3") < ranking.index("<table") < ranking.index("below scenes")
    assert f"of run {run.pk}" in page(client, f"/runs/{run.pk}/")
    assert f"of amber in scenes by run {run.pk}" in page(client, f"/models/{run.model.slug}/")
    assert "of item 2" in page(client, "/items/scenes/2/")


@pytest.mark.django_db
@pytest.mark.database
def test_a_part_without_a_context_is_left_out(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = replace(EQ_BENCH, ranking_part=part(lambda ranking: None), run_part=part(lambda run: None))
    monkeypatch.setitem(KINDS, "eq-bench", kind)
    run = finished(make_bank(3, slug="scenes"), 70.0)
    assert "<p></p>" not in board(client, "/rankings/scenes/") + page(client, f"/runs/{run.pk}/")
