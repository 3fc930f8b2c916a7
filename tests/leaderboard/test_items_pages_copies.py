"""The pages of items where one model was sent in under several names: it counts once, as in the statistics."""

import numpy as np
import pytest
from django.test import Client

from evaluation.models import ItemBank, LanguageModel
from evaluation.statistics.items import item_figures
from leaderboard.models import FieldFigures, Standing
from leaderboard.standings import refresh_standings
from leaderboard.standings.item_figures import item_field
from tests.factories import make_bank
from tests.leaderboard.pages import page
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def field() -> np.ndarray:
    """Six models on 40 items."""
    return np.random.default_rng(8).uniform(0, 10, (6, 40)).round(2)


@pytest.fixture
def bank(field: np.ndarray) -> ItemBank:
    """The first of the models under five names, one of which differs on one item."""
    bank = make_bank(40)
    for at, own in enumerate(field[[0, 0, 0, 0, 0, 1, 2, 3, 4, 5]]):
        scored(bank, [1.0, *own[1:].tolist()] if at == 4 else own.tolist(), name=f"m/model-{at}")
    refresh_standings()
    return bank


def keys_of(bank: ItemBank) -> list[int]:
    return list(bank.items.order_by("number").values_list("pk", flat=True))


def test_five_names_of_one_model_change_no_figure_of_an_item(bank: ItemBank, field: np.ndarray) -> None:
    found = item_field(bank.slug, keys_of(bank))
    assert (found.n_models, found.n_copies, found.n_complete) == (6, 4, 6)
    own = item_figures(field)
    assert [each.difficulty for each in found.figures] == pytest.approx([each.difficulty for each in own])
    assert [each.item_total for each in found.figures] == pytest.approx([each.item_total for each in own])
    assert list(found.medians) == pytest.approx(np.median(field, axis=0).tolist())


def test_the_field_is_the_same_where_nothing_fitting_is_stored(bank: ItemBank) -> None:
    stored = item_field(bank.slug, keys_of(bank))
    FieldFigures.objects.all().delete()
    made = item_field(bank.slug, keys_of(bank))
    assert (made.n_models, made.n_copies, made.figures) == (stored.n_models, stored.n_copies, stored.figures)


def test_the_pages_say_how_many_copies_are_left_out(client: Client, bank: ItemBank) -> None:
    html = page(client, f"/items/{bank.slug}/")
    assert "Each of 6 models counts once" in " ".join(html.split())
    assert "Near copies of a model, left out: 4." in " ".join(html.split())
    assert "answered by 10 models" in html
    assert "Replies of all 10" in " ".join(page(client, f"/items/{bank.slug}/3/").split())
    slug = LanguageModel.objects.get(name="m/model-7").slug
    model = " ".join(page(client, f"/models/{slug}/").split())
    assert (
        "of 6 models with stored answers. Two models with the same answers to at least 95 % of the items count as one."
        in model
    )


def test_what_an_older_release_stored_is_made_anew_by_the_next_refresh(bank: ItemBank) -> None:
    row = FieldFigures.objects.get(ranking=bank.slug)
    older = {key: value for key, value in row.figures.items() if key != "n_copies"}
    FieldFigures.objects.filter(pk=row.pk).update(figures={**older, "n_models": 10})
    before = list(Standing.objects.order_by("pk").values_list("computed_at", flat=True))
    refresh_standings()
    assert FieldFigures.objects.get(ranking=bank.slug).figures["n_models"] == 6
    assert list(Standing.objects.order_by("pk").values_list("computed_at", flat=True)) == before
