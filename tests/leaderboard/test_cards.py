"""The pictures of shared links: the words of the page, in the size that services want, at an address that changes."""

import json
import re
import struct
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank
from evaluation.published_tables import PUBLISHED
from leaderboard.drawings.card_words import Card, Track, along
from leaderboard.models import Standing
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.page import rankings_page
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, page, publish
from tests.leaderboard.scored_runs import scored

pytest.importorskip("PIL")

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bank(db: None) -> ItemBank:
    bank = make_bank(slug="scenes", title="Own scenes")
    for at, name in enumerate(("amber", "birch", "cedar")):
        points = [9.0 - at, 8.0 - at / 2, 9.5 - at, 8.5 - at / 3, 9.2 - at]
        scored(bank, points, name=name, facts={"slug": name, "organisation": "Maker"}, standard_error=2.0)
    refresh_standings()
    return bank


def image_of(client: Client, path: str) -> tuple[str, str]:
    """The address and the words of the card that a page names first."""
    html = page(client, path)
    (address, *_) = re.findall(r'property="og:image" content="http://testserver([^"]+)"', html)
    (alt, *_) = re.findall(r'property="og:image:alt" content="([^"]+)"', html)
    return unescape(address), unescape(alt)


def size_of(client: Client, address: str) -> tuple[int, int]:
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", response.content[16:24])
    return width, height


def test_each_page_has_a_card_with_its_words(client: Client, bank: ItemBank) -> None:
    run = bank.runs.get(model__slug="amber")
    words = {
        "/models/amber/": ("amber", "Maker · Own scenes · 5 items", "88.40 ± ", " of 3", "tied with it"),
        f"/runs/{run.pk}/": ("amber", f"Run {run.pk} · Own scenes · measured", "88.40 ± ", "5 of 5 items scored"),
        "/rankings/scenes/": ("Own scenes · 3 models ranked", "88.40 ± ", "ranks of 3"),
        "/compare/?m=amber&m=cedar&ranking=scenes": ("amber is ahead of cedar", "points of difference"),
    }
    for path, parts in words.items():
        address, alt = image_of(client, path)
        assert all(part in alt for part in parts), (path, alt)
        assert size_of(client, address) == (1200, 630)


def test_the_ranks_on_the_card_of_a_ranking_are_those_of_its_headline(client: Client, bank: ItemBank) -> None:
    """By pairs fewer models are tied, and two counts on one picture would contradict each other."""
    standing = Standing.objects.get(model__slug="amber")
    assert (standing.rank_high, standing.rank_high_all) == (1, 2)
    _, alt = image_of(client, "/rankings/scenes/")
    assert "amber leads; 1 model is statistically tied with it" in alt
    assert "1–2 its possible ranks of 3; 1 model tied with it" in alt
    assert alt.count("amber") == 1, "the headline names it"


def test_ranks_that_rest_on_estimated_errors_are_about(client: Client) -> None:
    for slug, score in (("p", 86.0), ("q", 85.0)):
        publish(make_model(slug, slug=slug), "eq-bench-v2", score)
    refresh_standings()
    _, alt = image_of(client, "/rankings/eq-bench-v2/")
    assert "86.00 ± about 3." in alt
    assert "about 1–2 its possible ranks of 2" in alt


def test_the_address_changes_with_the_score(client: Client, bank: ItemBank) -> None:
    before, _ = image_of(client, "/models/amber/")
    bank.runs.filter(model__slug="amber").update(score=70.0)
    refresh_standings()
    after, _ = image_of(client, "/models/amber/")
    assert before != after
    assert before.partition("&v=")[0] == after.partition("&v=")[0]


def test_a_published_score_is_hollow_and_about(client: Client, bank: ItemBank) -> None:
    from leaderboard.pages.cards.words import model_card
    from leaderboard.pages.models.page import standing_of

    model = publish(make_model("p", slug="p"), "scenes", 80.0).model
    refresh_standings()
    row = standing_of(model, "scenes")
    card = model_card("p", "p", "", row)
    assert card.track is None or card.track.hollow
    assert "published" in card.foot
    assert size_of(client, image_of(client, "/models/p/")[0]) == (1200, 630)


def test_a_ranking_without_intervals_names_none_at_the_foot_of_its_card(client: Client, bank: ItemBank) -> None:
    from leaderboard.pages.cards.words import ranking_card

    for name, score in (("GPT-4", 117.0), ("vicuna", 105.0)):
        publish(make_model(name, slug=name), "seceu-table-1", score)
    refresh_standings()
    found = {key: rankings_page(key, RankingRequest(), timezone.now().date()) for key in ("scenes", "seceu-table-1")}
    feet = {key: ranking_card(shown).foot for key, shown in found.items() if shown}
    assert feet == {
        "scenes": "95% confidence interval; all models compared at once", "seceu-table-1": "",
    }  # fmt: skip


def test_what_has_no_page_has_no_card(client: Client, bank: ItemBank) -> None:
    hidden = finished(bank, 50.0, name="hidden", published=False)
    private = finished(make_bank(60, slug="secret", access="private"), 50.0, name="secret")
    for path in (f"runs/{hidden.pk}", f"runs/{private.pk}", "models/nobody", "rankings/nothing", "you/forged"):
        assert client.get(f"/cards/{path}.png").status_code == 404, path
    assert client.get("/cards/pair.png?m=amber").status_code == 404


@pytest.mark.parametrize("title", ["a", "word " * 60, "x" * 300, "", "≈ 名前 \u0416 " * 9])
def test_any_title_fits(title: str) -> None:
    from leaderboard.drawings.cards import drawn, wrapped

    track = Track(0.0, 0.0, 1.0, (0.1, 0.9), ("left" * 40, "middle", "right" * 40), middle_line=True, hollow=True)
    card = Card(title, title, (("1" * 40, "w" * 80),) * 3, track, "f" * 200)
    assert drawn(card, "h" * 80).startswith(b"\x89PNG")
    assert len(wrapped(title)[0]) <= 2


def test_where_a_value_lies_between_two_ends() -> None:
    assert [along(value, 10, 20) for value in (5, 10, 15, 20, 25)] == [0, 0, 0.5, 1, 1]
    assert along(3, 3, 3) == 0.5


def test_a_ranking_says_what_data_it_is(client: Client, bank: ItemBank) -> None:
    bank.runs.filter(model__slug="amber").get().model.__class__.objects.filter(slug="amber").update(
        display_name="</script><script>alert(1)</script>"
    )
    html = page(client, "/rankings/scenes/")
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html)
    data = json.loads(found)
    assert (data["@type"], data["name"]) == ("Dataset", "Own scenes ranking, EQ Leaderboard")
    for file in data["distribution"]:
        assert client.get(file["contentUrl"].removeprefix("http://testserver")).status_code == 200
    assert "alert(1)</script>" not in found


def test_figures_of_others_are_given_no_licence_of_ours(client: Client) -> None:
    publish(make_model("GPT-4", slug="gpt-4"), "seceu-table-1", 117.0)
    refresh_standings()
    (found,) = re.findall(
        r'<script type="application/ld\+json">(.*?)</script>', page(client, "/rankings/seceu-table-1/")
    )
    data = json.loads(found)
    assert "license" not in data
    assert data["isBasedOn"] == PUBLISHED["seceu-table-1"].source_url
    assert data["creditText"] == PUBLISHED["seceu-table-1"].citation
