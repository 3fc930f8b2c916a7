"""Facts of models and published figures corrected by hand: with their history, their source and their rules."""

from datetime import date
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from evaluation.importers.published import Figure, FigureKey, ModelFacts, Published
from evaluation.importers.published_rows import store_published
from evaluation.models import FormerName, LanguageModel, ReferenceScore
from leaderboard.models import Standing
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import publish
from tests.leaderboard.staff import looker, root

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
FIGURES = "/admin/evaluation/referencescore/"


def facts(model: LanguageModel, **changes: str) -> dict[str, str]:
    usual = {"name": model.name, "slug": model.slug, "display_name": model.display_name, "organisation": "Maker"}
    return {**usual, **changes}


def address(model: LanguageModel, page: str = "change") -> str:
    return f"/admin/evaluation/languagemodel/{model.pk}/{page}/"


def test_a_corrected_fact_stands_in_the_history_with_what_was_and_what_is() -> None:
    model = make_model("maker/model", organisation="Maker", licence="mit")
    client = root()
    client.post(address(model), facts(model, licence="apache-2.0", params="7B"))
    model.refresh_from_db()
    assert (model.licence, model.params) == ("apache-2.0", "7B")
    assert LogEntry.objects.get().change_message == "params: nothing → “7B”; licence: “mit” → “apache-2.0”"
    assert "“mit” → “apache-2.0”" in client.get(address(model, "history")).content.decode()


def test_a_changed_slug_leads_on_from_the_old_address(client: Client) -> None:
    model = make_model("maker/model", slug="old", organisation="Maker")
    root().post(address(model), facts(model, slug="new"))
    assert client.get("/models/old/")["Location"] == "/models/new/"


def test_facts_are_changed_only_by_those_who_may_and_with_the_token() -> None:
    model = make_model("maker/model")
    assert looker().post(address(model), facts(model, licence="x")).status_code == 403
    assert root(enforce_csrf_checks=True).post(address(model), facts(model, licence="x")).status_code == 403
    model.refresh_from_db()
    assert model.licence == ""


def figure(model: LanguageModel, **changes: Any) -> dict[str, Any]:
    usual = {
        "model": model.pk,
        "benchmark": "mmlu",
        "value": "70.5",
        "setting": "5-shot",
        "as_of": "2024-01",
        "source": "https://paper.example/table-2",
        "match": "exact",
        "prefer": "on",
    }
    return {**usual, **changes}


def test_a_figure_is_added_with_its_source_and_takes_the_place_of_the_preferred_one() -> None:
    model = make_model("maker/model")
    old = publish(model, "mmlu", 65.0)
    response = root().post(f"{FIGURES}add/", figure(model))
    assert response.status_code == 302
    new = ReferenceScore.objects.get(value=70.5)
    old.refresh_from_db()
    assert (new.preferred, new.source, old.preferred) == (True, "https://paper.example/table-2", False)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("source", "", "This field is required"),
        ("source", "a page", "Name the source"),
        ("value", "nan", "Enter a number"),
        ("value", "20000", "Write a number from"),
        ("benchmark", "MMLU (5)", "small letters"),
        ("as_of", "29.1.2024", "as far as it is known"),
        ("as_of", "2024-13", "as far as it is known"),
    ],
)
def test_a_figure_that_breaks_a_rule_is_refused_with_the_rule(field: str, value: str, words: str) -> None:
    html = root().post(f"{FIGURES}add/", figure(make_model(), **{field: value})).content.decode()
    assert words in html
    assert not ReferenceScore.objects.exists()


def test_the_same_figure_twice_is_one() -> None:
    model = make_model()
    root().post(f"{FIGURES}add/", figure(model))
    again = root().post(f"{FIGURES}add/", figure(model))
    assert again.status_code == 200
    assert ReferenceScore.objects.count() == 1


def test_the_standing_follows_a_corrected_published_figure() -> None:
    bank, model = make_bank(5), make_model("maker/model")
    mine = publish(model, bank.slug, 60.0)
    client = root()
    client.post(f"{FIGURES}{mine.pk}/change/", figure(model, benchmark=bank.slug, value="61.25"))
    assert Standing.objects.get(model=model).score == 61.25
    client.post(f"{FIGURES}{mine.pk}/delete/", {"post": "yes"})
    assert not Standing.objects.exists()


def test_figures_are_changed_only_by_those_who_may_and_with_the_token() -> None:
    mine = publish(make_model(), "mmlu", 60.0)
    path = f"{FIGURES}{mine.pk}/change/"
    assert looker().post(path, figure(mine.model)).status_code == 403
    assert root(enforce_csrf_checks=True).post(path, figure(mine.model)).status_code == 403
    mine.refresh_from_db()
    assert mine.value == 60.0


TABLES = Published(
    (ModelFacts("maker/model", licence="mit", params="7B", released_on=date(2024, 2, 1), released_month_only=True),),
    tuple(
        Figure(FigureKey("maker/model", "mmlu", setting, "2024-01", "the shipped list", "Model"), value, "exact", first)
        for setting, value, first in (("5-shot", 70.0, True), ("0-shot", 65.0, False))
    ),
)


def test_a_fact_that_staff_changed_or_cleared_outlives_the_next_loading_and_can_be_handed_back() -> None:
    store_published(TABLES)
    model, client = LanguageModel.objects.get(), root()
    form = facts(model, organisation="maker", licence="", params="8x7", released_on="2024-02-15")
    client.post(address(model), form)
    assert sum(store_published(TABLES)) == 0
    model.refresh_from_db()
    assert (model.licence, model.params, str(model.released_on), model.released_month_only) == (
        "",
        "8x7",
        "2024-02-15",
        False,
    )
    html = client.get(address(model)).content.decode()
    assert "A fact that you change here keeps your value" in html
    assert "licence, params, released month only, released on" in html
    client.post(address(model), {**form, "hand_back": "on"})
    assert store_published(TABLES).models_changed == 1
    model.refresh_from_db()
    assert (model.licence, model.params, str(model.released_on)) == ("mit", "7B", "2024-02-01")
    assert "facts handed back to the published tables" in client.get(address(model, "history")).content.decode()


def test_a_fact_that_nobody_touched_follows_the_tables() -> None:
    store_published(TABLES)
    model = LanguageModel.objects.get()
    root().post(address(model), facts(model, organisation="maker", licence="apache-2.0", params="7B"))
    store_published(Published((ModelFacts("maker/model", licence="other", params="9B"),), ()))
    model.refresh_from_db()
    assert (model.licence, model.params) == ("apache-2.0", "9B")


def test_a_figure_that_staff_corrected_or_prefer_outlives_the_next_loading_and_can_be_handed_back() -> None:
    store_published(TABLES)
    shipped, client = ReferenceScore.objects.get(setting="5-shot"), root()
    mine = figure(shipped.model, value="71.5", setting="5-shot", source="the shipped list", matched_name="Model")
    client.post(f"{FIGURES}{shipped.pk}/change/", mine)
    assert sum(store_published(TABLES)) == 0
    assert ReferenceScore.objects.get(preferred=True).value == 71.5
    client.post(f"{FIGURES}add/", figure(shipped.model, value="72"))
    store_published(TABLES)
    assert ReferenceScore.objects.get(preferred=True).value == 72
    client.post(f"{FIGURES}{shipped.pk}/change/", {**mine, "hand_back": "on"})
    store_published(TABLES)
    assert ReferenceScore.objects.get(preferred=True).value == 70.0


def test_a_corrected_source_leaves_the_shipped_figure_beside_it_not_preferred() -> None:
    store_published(TABLES)
    shipped = ReferenceScore.objects.get(setting="5-shot")
    changed = figure(shipped.model, value="70", source="the paper, table 2", matched_name="Model")
    root().post(f"{FIGURES}{shipped.pk}/change/", changed)
    assert store_published(TABLES).figures_new == 1
    rows = ReferenceScore.objects.filter(setting="5-shot").order_by("pk").values_list("source", "preferred")
    assert list(rows) == [("the paper, table 2", True), ("the shipped list", False)]


def test_a_figure_that_staff_no_longer_prefer_takes_the_place_of_no_other_at_the_next_loading() -> None:
    store_published(TABLES)
    ReferenceScore.objects.filter(setting="5-shot").update(preferred=False, by_hand=True)
    other = publish(LanguageModel.objects.get(), "mmlu", 66.0, source="an older list")
    store_published(TABLES)
    assert ReferenceScore.objects.get(preferred=True) == other


def test_a_new_model_of_the_tables_takes_no_slug_that_leads_to_another(client: Client) -> None:
    kept = make_model("maker/model-2", slug="kept")
    FormerName.objects.create(model=kept, name="maker/older", slug="maker-model")
    store_published(TABLES)
    assert LanguageModel.objects.get(name="maker/model").slug == "maker-model-2"
    assert client.get("/models/maker-model/")["Location"] == "/models/kept/"


@pytest.mark.parametrize("path", ["add/", "{}/change/", "{}/delete/"])
def test_banks_can_only_be_looked_at(path: str) -> None:
    bank = make_bank(5)
    address = f"/admin/evaluation/itembank/{path.format(bank.pk)}"
    assert root().post(address, {"title": "Mine", "post": "yes"}).status_code == 403
    bank.refresh_from_db()
    assert bank.title == "Own scenes"
