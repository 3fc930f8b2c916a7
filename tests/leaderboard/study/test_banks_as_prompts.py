"""A study over the prompts of a bank: what a bank may hold and a study may not, and a set that came from a file."""

import pytest
from django.urls import reverse

from evaluation.models import Item, ItemBank
from leaderboard.study.building import Refused, Terms, new_study, prompt_set_of_bank, prompt_set_of_file
from leaderboard.study.models import Prompt, PromptSet, Study
from leaderboard.study.responders_of_runs import runs_for
from tests.evaluation.judged import gathered, prompt_bank
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def with_first(bank: ItemBank, **extra: str) -> None:
    first = bank.items.order_by("number")[0]
    Item.objects.filter(pk=first.pk).update(extra={**first.extra, **extra})


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"emotion": "wistful"}, "The emotion of p0 is none of the 32 labels"),
        ({"emotion": "nostalgic", "valence": "positive"}, "p0: nostalgic is negative in a study"),
    ],
)
def test_a_bank_with_other_emotions_is_refused_in_a_sentence(extra: dict[str, str], why: str) -> None:
    bank = prompt_bank()
    with_first(bank, **extra)
    with pytest.raises(Refused, match=why):
        prompt_set_of_bank(bank)
    fields = {"title": "Ours", "prompts": f"bank-{bank.pk}", "items_per_rater": 2, "ratings_per_reply": 1}
    response = root().post(reverse("study-new"), fields)
    assert response.status_code == 200
    assert why in content_of(response)
    assert (PromptSet.objects.count(), Study.objects.count()) == (0, 0)


def test_labels_of_a_bank_may_be_in_capitals() -> None:
    bank = prompt_bank()
    with_first(bank, emotion="Joyful")
    prompt_set_of_bank(bank)
    assert Prompt.objects.get(item_id="p0").emotion == "joyful"


def test_runs_can_be_taken_where_the_same_prompts_came_from_a_file_before() -> None:
    run = gathered(prompt_bank())
    rows = [
        f"{item.item_id},{item.extra['emotion']},{item.extra['situation']},{item.extra['utterance']}"
        for item in run.bank.items.order_by("number")
    ]
    content = "\n".join(["item_id,emotion,situation,utterance", *rows]).encode()
    of_file = prompt_set_of_file("Ours", "ours.csv", content, Terms("own texts", shows_texts=False))
    of_bank = prompt_set_of_bank(run.bank)
    assert of_bank == of_file
    assert list(runs_for(new_study("Replies", of_bank, items_per_rater=2))) == [run]
