"""Duplicates made one: what moves, what yields, where old addresses and names lead, and that twice is once."""

from datetime import date
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from evaluation.importers.names import known_model, model_named
from evaluation.importers.published import Figure, FigureKey, ModelFacts, Published
from evaluation.importers.published_rows import store_published
from evaluation.models import Endpoint, FormerName, LanguageModel, ReferenceScore, Run
from leaderboard.administration.merging import merge, plan
from leaderboard.models import Standing, Submission
from leaderboard.pages.rankings.orders import PastLine, order_at
from leaderboard.standings import refresh_standings
from leaderboard.submissions.moderating import Refused
from tests.factories import make_bank, make_endpoint, make_model
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.scored_runs import store
from tests.leaderboard.staff import looker, root
from tests.leaderboard.test_orders import Days, on_day

__all__ = ["on_day"]

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MODELS = "/admin/evaluation/languagemodel/"


def two() -> tuple[LanguageModel, LanguageModel]:
    """One with two runs, and a duplicate of it with a run, an endpoint, a submission and a figure."""
    bank = make_bank(5)
    kept = make_model("maker/model", slug="maker-model", licence="mit")
    double = make_model("Maker/Model", slug="maker-model-2", licence="apache-2.0", organisation="Maker")
    for score in (60.0, 62.0):
        finished(bank, score, model=kept)
    endpoint = make_endpoint(model=double)
    finished(bank, 67.0, model=double, endpoint=endpoint)
    Submission.objects.create(model=double, endpoint=endpoint, owner="team@maker.example")
    publish(double, "mmlu", 70.0)
    refresh_standings()
    return kept, double


def press(client: Client, models: Any, **data: Any) -> str:
    form = {"action": "merge_duplicates", "_selected_action": [str(model.pk) for model in models], **data}
    response = client.post(MODELS, form, follow=True)
    assert response.status_code == 200
    return response.content.decode().replace("&#x27;", "'")


def test_everything_moves_and_the_standing_is_the_mean_of_all_runs() -> None:
    kept, double = two()
    merge(kept, [double])
    assert not LanguageModel.objects.filter(pk=double.pk).exists()
    assert {Run.objects.get(pk=pk).model for pk in Run.objects.values_list("pk", flat=True)} == {kept}
    assert [row.model for rows in (Endpoint, Submission, ReferenceScore) for row in rows.objects.all()] == [kept] * 3
    standing = Standing.objects.get()
    assert (standing.model, standing.score, standing.runs_used) == (kept, 63.0, 3)


def test_a_score_keeps_its_day_and_its_name_in_past_orders_when_its_model_is_merged(on_day: Days) -> None:
    bank = make_bank(slug="scenes")
    kept, double = make_model("maker/model"), make_model("Maker/Model")
    publish(kept, "scenes", 55.0)
    on_day("2026-11-10")
    finished(make_bank(slug="others"), 70.0, model=double)
    finished(bank, 60.0, model=double)
    on_day("2026-11-20")
    on_day.set("2026-11-25")
    merge(kept, [double])
    days = dict(Standing.objects.filter(model=kept).values_list("ranking", "added_on"))
    assert days == {"others": date(2026, 11, 20), "scenes": date(2026, 11, 20)}
    (past,) = order_at_day("others", date(2026, 11, 21))
    assert (past.model and past.model.slug, past.score) == (kept.slug, "70.00")
    first, second = order_at_day("scenes", date(2026, 11, 21))
    assert (first.model, second.model and second.model.slug) == (None, kept.slug)


def test_a_published_score_that_goes_on_to_rank_keeps_its_day_after_a_merge(on_day: Days) -> None:
    """The run of the other asked with settings of its own, so it is the weaker evidence."""
    bank = make_bank(slug="scenes")
    kept, double = make_model("maker/model"), make_model("Maker/Model")
    publish(kept, "scenes", 55.0)
    on_day("2026-11-10")
    finished(bank, 60.0, model=double, departures={"temperature": {"standard": 0.0, "asked": 1.0}})
    on_day("2026-11-20")
    on_day.set("2026-11-25")
    merge(kept, [double])
    standing = Standing.objects.get()
    assert (standing.origin, standing.added_on) == ("published", date(2026, 11, 10))


def order_at_day(key: str, at: date) -> tuple[PastLine, ...]:
    found = order_at(key, at)
    assert found is not None
    return found.lines


def test_facts_that_are_missing_are_taken_over_and_the_others_stay() -> None:
    kept, double = two()
    merge(kept, [double])
    kept.refresh_from_db()
    assert (kept.licence, kept.organisation, kept.name) == ("mit", "Maker", "maker/model")


def test_what_staff_recorded_of_the_duplicate_alone_is_kept() -> None:
    kept, double = two()
    own = {"maker_domain": "maker.example", "price_prompt": 0.5, "price_completion": 1.5}
    LanguageModel.objects.filter(pk=double.pk).update(**own)
    merge(kept, [double])
    kept.refresh_from_db()
    assert {name: getattr(kept, name) for name in own} == own


@pytest.mark.parametrize("month_only", [True, False])
def test_a_release_date_is_taken_over_as_exactly_as_it_is_known(*, month_only: bool) -> None:
    kept, double = two()
    LanguageModel.objects.filter(pk=kept.pk).update(released_month_only=not month_only)
    LanguageModel.objects.filter(pk=double.pk).update(released_on=date(2024, 5, 1), released_month_only=month_only)
    kept.refresh_from_db()
    double.refresh_from_db()
    assert not [text for text in plan(kept, [double]).conflicts if text.startswith("Released")]
    merge(kept, [double])
    kept.refresh_from_db()
    assert (kept.released_on, kept.released_month_only) == (date(2024, 5, 1), month_only)


def test_a_fact_set_by_hand_stays_one_after_a_merge() -> None:
    kept, double = two()
    LanguageModel.objects.filter(pk=kept.pk).update(facts_by_hand=["licence"], licence="")
    LanguageModel.objects.filter(pk=double.pk).update(facts_by_hand=["licence", "organisation"])
    merge(kept, [double])
    kept.refresh_from_db()
    assert (kept.licence, kept.organisation, kept.facts_by_hand) == ("", "Maker", ["licence", "organisation"])


def test_a_figure_of_the_same_source_yields_and_so_does_a_second_preference() -> None:
    kept, double = two()
    publish(kept, "mmlu", 71.0)
    publish(kept, "arena_elo", 1100.0, source="one list")
    publish(double, "arena_elo", 1200.0, source="another list")
    about = [text.split(":")[0] for text in plan(kept, [double]).conflicts]
    assert about == ["Display name", "Licence", "arena_elo", "mmlu"]
    merge(kept, [double])
    figures = ReferenceScore.objects.order_by("benchmark", "value").values_list("benchmark", "value", "preferred")
    assert list(figures) == [("arena_elo", 1100.0, True), ("arena_elo", 1200.0, False), ("mmlu", 71.0, True)]


def test_the_confirmation_says_what_moves_and_where_the_two_disagree_and_changes_nothing() -> None:
    kept, double = two()
    html = press(root(), [kept, double])
    for words in ("Merge 2 models into one?", "1 run moves to it", "1 endpoint moves", "1 submission moves",
                  "1 reference score moves", "Licence: mit stays, apache-2.0 of Maker/Model is dropped."):  # fmt: skip
        assert words in html
    assert LanguageModel.objects.count() == 2
    other_way = press(root(), [kept, double], keeper=str(double.pk), look="1")
    assert "2 runs move to it" in other_way


def test_merging_twice_is_merging_once_and_it_is_on_record() -> None:
    kept, double = two()
    assert "Merged into it: Maker/Model" in press(root(), [kept, double], confirmed="yes", keeper=str(kept.pk))
    assert "Choose two to 10 models" in press(root(), [kept, double], confirmed="yes", keeper=str(kept.pk))
    with pytest.raises(Refused, match="merged already"):
        merge(kept, [double])
    entry = LogEntry.objects.get()
    assert (entry.object_id, str(entry.user)) == (str(kept.pk), "root")
    assert "Maker/Model (/models/maker-model-2/)" in entry.change_message
    assert FormerName.objects.count() == 1


def test_one_model_alone_is_not_merged() -> None:
    kept, _ = two()
    assert "Choose two to 10 models" in press(root(), [kept])


def test_merging_needs_the_right_and_the_token(client: Client) -> None:
    kept, double = two()
    form = {"action": "merge_duplicates", "_selected_action": [str(kept.pk), str(double.pk)], "confirmed": "yes"}
    assert client.post(MODELS, form).status_code == 302
    looker().post(MODELS, form)
    assert root(enforce_csrf_checks=True).post(MODELS, form).status_code == 403
    assert LanguageModel.objects.count() == 2


def test_a_model_that_is_gone_undoes_the_whole_merge() -> None:
    kept, double = two()
    with pytest.raises(Refused, match="is gone"):
        merge(kept, [double, LanguageModel(pk=10**6)])
    assert Run.objects.filter(model=double).count() == 1


def test_the_old_address_leads_to_the_model_for_good_with_its_query(client: Client) -> None:
    kept, double = two()
    assert client.get("/models/maker-model-2/").status_code == 200
    merge(kept, [double])
    response = client.get("/models/maker-model-2/?ranking=x%20y&run=3")
    assert (response.status_code, response["Location"]) == (301, "/models/maker-model/?ranking=x%20y&run=3")
    assert response["Cache-Control"] == "no-cache", "a browser that kept it would go in a circle after renaming back"
    assert client.get("/models/maker-model-2/badge.svg")["Location"] == "/models/maker-model/badge.svg"
    assert client.get("/models/maker-model-2/runs.csv?run=3")["Location"] == "/models/maker-model/runs.csv?run=3"
    assert client.get("/models/never-was/").status_code == 404


def test_a_comparison_under_an_old_slug_leads_to_the_same_under_the_present_one(client: Client) -> None:
    kept, double = two()
    other = finished(Run.objects.first().bank, 50.0, name="maker/other").model  # type: ignore[union-attr]
    for run in Run.objects.all():
        store(run, [[5.0, 6.0, 7.0, 6.0, run.pk % 7]])
    refresh_standings()
    old = f"/compare/?m=maker-model-2&m={other.slug}&m=maker-model&ranking=x%20y"
    assert client.get(old).status_code == 200
    merge(kept, [double])
    response = client.get(old)
    assert (response.status_code, response["Location"]) == (
        301,
        f"/compare/?m=maker-model&m={other.slug}&ranking=x+y",
    )
    assert response["Cache-Control"] == "no-cache"
    assert "never-was" in client.get("/compare/?m=never-was").content.decode()
    Run.objects.filter(model=kept).update(published=False)
    ReferenceScore.objects.all().delete()
    refresh_standings()
    assert client.get("/compare/?m=maker-model-2").status_code == 200, "it tells nothing of a model that is not listed"


def test_pictures_under_an_old_slug_lead_to_those_under_the_present_one(client: Client) -> None:
    kept, double = two()
    merge(kept, [double])
    response = client.get("/cards/models/maker-model-2.png?ranking=x&v=1")
    assert (response.status_code, response["Location"]) == (301, "/cards/models/maker-model.png?ranking=x&v=1")
    response = client.get("/cards/pair.png?ranking=x&m=maker-model-2&m=other&v=1")
    assert (response.status_code, response["Location"]) == (301, "/cards/pair.png?ranking=x&m=maker-model&m=other&v=1")
    assert client.get("/cards/models/never-was.png").status_code == 404


def test_the_api_follows_an_old_slug(client: Client) -> None:
    kept, double = two()
    merge(kept, [double])
    moved = client.get("/api/v1/models/maker-model-2?fields=1")
    assert (moved.status_code, moved["Location"]) == (301, "/api/v1/models/maker-model?fields=1")
    assert moved["Access-Control-Allow-Origin"] == "*"
    assert client.get(moved["Location"]).json()["slug"] == "maker-model"
    assert client.get("/api/v1/runs?model=maker-model-2").json()["count"] == 3
    assert client.get("/api/v1/models/never-was").status_code == 404
    assert client.get("/api/v1/runs?model=never-was").json()["count"] == 0
    Run.objects.update(published=False)
    ReferenceScore.objects.all().delete()
    assert client.get("/api/v1/models/maker-model-2").status_code == 404


def test_a_slug_that_is_in_use_again_means_the_model_that_has_it_now(client: Client) -> None:
    kept, double = two()
    merge(kept, [double])
    finished(Run.objects.first().bank, 50.0, name="new", facts={"slug": "maker-model-2"})  # type: ignore[union-attr]
    refresh_standings()
    assert client.get("/api/v1/models/maker-model-2").json()["name"] == "new"
    assert client.get("/api/v1/runs?model=maker-model-2").json()["count"] == 1
    assert client.get("/compare/?m=maker-model-2").status_code == 200


def test_an_old_address_of_a_model_that_is_not_listed_tells_nothing(client: Client) -> None:
    kept, double = two()
    merge(kept, [double])
    Run.objects.update(published=False)
    ReferenceScore.objects.all().delete()
    assert client.get("/models/maker-model-2/").status_code == 404
    assert root().get("/models/maker-model-2/").status_code == 301


def test_merging_twice_in_a_row_leads_on_to_the_last_one(client: Client) -> None:
    kept, double = two()
    merge(kept, [double])
    third = finished(Run.objects.first().bank, 50.0, name="maker/third").model  # type: ignore[union-attr]
    merge(third, [kept])
    assert client.get("/models/maker-model-2/")["Location"] == f"/models/{third.slug}/"


def test_a_file_that_still_uses_the_old_name_means_the_model_that_stayed() -> None:
    kept, double = two()
    merge(kept, [double])
    assert known_model("Maker/Model") == model_named("Maker/Model") == kept
    assert model_named("maker/model 2").slug == "maker-model-2-2"


def test_published_tables_make_no_duplicate_again() -> None:
    kept, double = two()
    merge(kept, [double])
    key = FigureKey("Maker/Model", "mmlu", "5-shot", "2024", "a table", "Model")
    own = FigureKey("maker/model", "mmlu", "0-shot", "2024", "a table", "model")
    tables = Published(
        (ModelFacts("maker/model"), ModelFacts("Maker/Model", licence="other", released_on=date(2024, 1, 1))),
        (Figure(key, 66.0, "exact", preferred=True), Figure(own, 65.0, "exact", preferred=True)),
    )
    store_published(tables)
    again = store_published(tables)
    assert LanguageModel.objects.get() == kept
    kept.refresh_from_db()
    assert (kept.licence, kept.released_on) == ("mit", None)
    assert [f.value for f in kept.reference_scores.filter(preferred=True)] == [65.0]
    assert sum(again) == 0
