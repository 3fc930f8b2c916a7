"""The model page item by item: profile beside the field, emotion bias, transcripts and what stays closed."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from evaluation.models import ItemBank, ItemResult, ItemState, LanguageModel, Run
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_result, scene_labels, scene_reference, scene_reply
from tests.leaderboard.pages import board, finished, page, table
from tests.leaderboard.scored_runs import scored, store

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def model() -> LanguageModel:
    return make_model("maker/m", slug="m")


def part(html: str, start: str) -> str:
    return html.partition(start)[2].partition("</section>")[0]


def data_rows(html: str) -> list[list[str]]:
    """Item, own score, field median and difference of every item."""
    return table(part(html, "<h2>Items</h2>"))[1:]


def answered(run: Run, shift: float = 0.0) -> None:
    """Answers to every item of a run: the reference, moved by `shift`."""
    for item in run.bank.items.all():
        make_result(run, item.item_id, answer=[value + shift for value in item.reference], reply=f"reply {item.number}")


def test_item_scores_stand_beside_the_median_of_the_newest_run_of_each_model(
    client: Client, model: LanguageModel
) -> None:
    bank = make_bank(3)
    scored(bank, [9.0, 9.0, 9.0], model=model)
    scored(bank, [1.0, 5.0, 8.0], model=model)
    scored(bank, [2.0, 6.0, None])
    scored(bank, [6.0, 4.0, 3.0])
    html = board(client, "/models/m/")
    assert data_rows(html) == [
        ["1", "1.00", "2.00", "−1.00"],
        ["2", "5.00", "5.00", "0.00"],
        ["3", "8.00", "5.50", "2.50"],
    ]
    assert "Against the field’s median on each of 3 items: above it on 1, below it on 1, equal on 1." in html
    assert "median of 3 runs, item score" in html


def test_the_five_hardest_and_the_five_easiest_items_link_to_their_pages(client: Client, model: LanguageModel) -> None:
    bank = make_bank(12)
    scored(bank, [float(at) - 2 for at in range(12)], model=model)
    html = board(client, "/models/m/")
    hardest = part(html, "<h3>Hardest for this model</h3>").partition("</table>")[0]
    easiest = part(html, "<h3>Easiest for this model</h3>").partition("</table>")[0]
    assert [row[0] for row in table(hardest + "</table>")[1:]] == [f"Item {at}" for at in (1, 2, 3, 4, 5)]
    assert [row[0] for row in table(easiest + "</table>")[1:]] == [f"Item {at}" for at in (12, 11, 10, 9, 8)]
    assert f'<a href="/items/{bank.slug}/12/">Item 12</a>' in easiest


def test_where_the_revision_counts_its_scores_are_profiled(client: Client, model: LanguageModel) -> None:
    bank = make_bank(2)
    run = finished(bank, 70.0, model=model, counted_part="revised")
    store(run, [[1.0, 2.0]], revised=[[7.0, 6.0]])
    assert data_rows(board(client, "/models/m/")) == [["1", "7.00", "7.00", "0.00"], ["2", "6.00", "6.00", "0.00"]]


def test_repeats_that_count_different_parts_are_each_taken_by_their_own(client: Client, model: LanguageModel) -> None:
    bank = make_bank(2)
    run = finished(bank, 60.0, model=model, counted_part="mixed", repeats=2)
    store(run, [[1.0, 2.0], [4.0, 6.0]], revised=[[7.0, 8.0], [None, None]])
    assert data_rows(board(client, "/models/m/")) == [["1", "5.50", "5.50", "0.00"], ["2", "7.00", "7.00", "0.00"]]


def test_a_new_result_moves_the_medians(client: Client, model: LanguageModel) -> None:
    bank = make_bank(1)
    scored(bank, [2.0], model=model)
    scored(bank, [4.0])
    assert data_rows(board(client, "/models/m/"))[0][2] == "3.00"
    scored(bank, [6.0])
    assert data_rows(board(client, "/models/m/"))[0][2] == "4.00"


def test_a_run_that_is_scored_anew_is_read_again(client: Client, model: LanguageModel) -> None:
    bank = make_bank(1)
    run = scored(bank, [2.0], model=model)
    board(client, "/models/m/")
    ItemResult.objects.filter(run=run).update(score=5.0)
    Run.objects.filter(pk=run.pk).update(score=50.0, scorer_version="eq-bench-v2/2")
    assert data_rows(board(client, "/models/m/")) == [["1", "5.00", "5.00", "0.00"]]


def test_answers_that_are_too_strong_by_one_lean_by_one_with_n_and_interval(
    client: Client, model: LanguageModel
) -> None:
    run = finished(make_bank(5), 70.0, model=model)
    answered(run, shift=1.0)
    html = part(board(client, "/models/m/"), "<h2>Emotion bias</h2>")
    assert "over all 20 ratings" in html
    bands = table(html.partition("By intensity of the reference")[2])[1:]
    values = [value for number in range(1, 6) for value in scene_reference(number)]
    n_absent, n_strong = values.count(0), sum(value > 6 for value in values)
    assert [bands[0][0], *bands[0][2:]] == ["0", "1.00", "0.00", str(n_absent)]
    assert [bands[-1][0], *bands[-1][2:]] == ["7–10", "1.00", "0.00", str(n_strong)]
    assert table(html.partition("Data table")[2])[1] == ["0", "1.00", "0.00", str(n_absent)]
    assert "Mean error +1.00 where the reference is 0, +1.00 where it is 7–10" in html
    assert "Where the reference is 0, the mean answer is 1.00; where it is 8, the mean answer is 9.00." in html


def test_families_are_told_apart_by_their_words(client: Client, model: LanguageModel) -> None:
    run = finished(make_bank(5), 70.0, model=model)
    answered(run)
    item = run.bank.items.get(item_id="3")
    at = scene_labels(3).index("Hurt")
    answer = [value + (2.0 if place == at else 0.0) for place, value in enumerate(item.reference)]
    ItemResult.objects.filter(run=run, item=item).update(answer=answer)
    html = part(board(client, "/models/m/"), "<h2>Emotion families</h2>")
    families = {row[0]: row[2:] for row in table(html.rpartition("<h3>")[2])[1:]}
    hurt = [label for number in range(1, 6) for label in scene_labels(number) if label in {"Hurt", "Envious"}]
    assert families["hurt"][0] == f"{2 / len(hurt):.2f}"
    assert families["hurt"][3] == str(len(hurt))
    assert families["joy"][0] == "0.00"


def test_a_constant_answer_has_no_family_that_leans(client: Client, model: LanguageModel) -> None:
    run = finished(make_bank(40), 30.0, model=model)
    ItemResult.objects.filter(run=run).delete()
    store(run, [[3.0] * 40])
    ItemResult.objects.filter(run=run).update(answer=[3.0] * 4)
    html = part(board(client, "/models/m/"), "<h2>Emotion families</h2>")
    assert "<h3>No family is clearly over- or underrated</h3>" in html
    families = table(html.rpartition("<h3>")[2])
    assert families[0][2:5] == ["Mean error", "At equal reference", "± 95 %"]
    assert {row[3] for row in families[1:]} == {"0.00"}
    assert {row[2] for row in families[1:]} != {"0.00"}


def test_a_bank_without_right_answers_has_no_bias(client: Client, model: LanguageModel) -> None:
    bank = make_bank(2)
    bank.items.update(reference=[])
    scored(bank, [5.0, 6.0], model=model)
    html = board(client, "/models/m/")
    assert "Emotion bias" not in html
    assert "Hardest for this model" in html


def test_a_transcript_shows_dialogue_bars_reply_and_how_it_was_read(client: Client, model: LanguageModel) -> None:
    run = finished(make_bank(3), 70.0, model=model)
    answer = [9.0, 1.0, 9.0, 2.0]
    make_result(run, "1", answer=answer, score=-9.44, reading="tolerant", reply=scene_reply(1), flags="dash")
    html = part(board(client, "/models/m/"), "<h2>Transcripts</h2>")
    assert "score −9.44 · tolerant" in html
    assert "(dash)" in html
    assert "answer 9, reference 7" in html
    assert html.count('<circle class="ring"') == html.count('<circle class="dot-accent"') == 4
    assert scene_reply(1) in html
    assert "A friend:" in html


def test_a_transcript_stands_beside_the_median_of_the_field(client: Client, model: LanguageModel) -> None:
    bank = make_bank(2)
    mine = scored(bank, [2.0, 9.0], model=model)
    scored(bank, [4.0, None])
    html = part(board(client, "/models/m/"), "<h2>Transcripts</h2>")
    summaries = [" ".join(text.split()) for text in html.split("<summary>")[1:]]
    assert "score 2.00 · official · field median 3.00" in summaries[0]
    assert "score 9.00 · official · field median 9.00" in summaries[1]
    other = scored(make_bank(2), [5.0, 5.0], model=model)
    asked = page(client, f"/models/m/?ranking={mine.bank.slug}&run={other.pk}")
    assert "field median" not in part(asked, "<h2>Transcripts</h2>")


def test_what_was_not_read_says_why_and_its_signs_are_marked(client: Client, model: LanguageModel) -> None:
    run = finished(make_bank(3), 70.0, model=model)
    nothing = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}
    make_result(run, "2", reason="no scores found", reply="I cannot \u202esay <b>that</b>", **nothing)
    html = part(board(client, "/models/m/"), "<h2>Transcripts</h2>")
    assert "not read: no scores found" in html
    assert '<mark class="sign" title="right-to-left override">U+202E</mark>say &lt;b&gt;that' in html


def test_transcripts_come_in_pages_of_the_run_that_is_asked_for(client: Client, model: LanguageModel) -> None:
    bank = make_bank(12)
    first, second = finished(bank, 60.0, model=model), finished(bank, 62.0, model=model)
    answered(first)
    make_result(second, "1", reply="a reply of the second run")
    html = board(client, "/models/m/")
    assert "a reply of the second run" in html
    assert f'<option value="{first.pk}">' in html
    asked = page(client, f"/models/m/?run={first.pk}&page=2")
    assert "<b>Item 11</b>" in asked
    assert "<b>Item 10</b>" not in asked
    assert "reply 12" in asked
    assert f"?run={first.pk}&amp;page=1" in asked


def test_no_text_of_a_withheld_bank_reaches_the_page(client: Client, model: LanguageModel) -> None:
    run = finished(make_bank(5, access="withheld"), 70.0, model=model)
    answered(run, shift=1.0)
    ItemResult.objects.filter(run=run, item__item_id="2").update(
        state=ItemState.UNREAD, reading="none", answer=None, score=None, reason=f"{scene_labels(2)[0]} missing"
    )
    html = board(client, "/models/m/")
    texts = [text for number in range(1, 6) for text in (*scene_labels(number), f"Read scene {number}")]
    assert [text for text in (*texts, "reply 1", "goodwill") if text in html] == []
    assert "The texts of this item bank are not public" in html
    assert "Mean error" in html


def test_a_field_of_one_bank_never_meets_that_of_another(client: Client, model: LanguageModel) -> None:
    banks: list[ItemBank] = [make_bank(2), make_bank(2)]
    for bank, score in zip(banks, (3.0, 8.0), strict=True):
        scored(bank, [score, score], model=model)
    refresh_standings()
    medians = [data_rows(page(client, f"/models/m/?ranking={bank.slug}"))[0][2] for bank in banks]
    assert medians == ["3.00", "8.00"]
