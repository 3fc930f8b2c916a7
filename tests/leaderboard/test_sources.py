"""How a page names the source of a quoted figure."""

import csv

import pytest
from django.test import Client

from evaluation.importers.published import REFERENCE_FILE, SHIPPED_FOLDER
from evaluation.models import ReferenceScore
from leaderboard.wording.sources import Source, source_of
from tests.factories import make_model

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SHA = "fe4c2eb273c61886d335524d4895a55331bb171b"


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (
            "lm-eval notes (file-index id 52690046704; vLLM/HF, no chat template)",
            "lm-eval notes (vLLM/HF, no chat template)",
        ),
        ("model card copies (file-index ids 16458634566 and 69323703465)", "model card copies"),
        ("model card copy (file-index id 13392335439)", "model card copy"),
        ("the maker’s page", "the maker’s page"),
        ("github:a/b <script> @ main", "GitHub, a/b <script> @ main"),
        (f"a paper; github:a/b @ {SHA}", "a paper; GitHub, a/b @ fe4c2eb"),
    ],
)  # fmt: skip
def test_a_source_is_said_in_words(stored: str, words: str) -> None:
    assert source_of(stored) == Source(words)


def test_a_file_on_github_is_linked_at_its_commit() -> None:
    assert source_of(f"github:owner/name cards/one.md @ {SHA} (a copy)") == Source(
        "cards/one.md in owner/name on GitHub, commit fe4c2eb (a copy)",
        f"https://github.com/owner/name/blob/{SHA}/cards/one.md",
    )


def test_no_shipped_source_is_shown_as_a_number_of_an_index() -> None:
    with (SHIPPED_FOLDER / REFERENCE_FILE).open(encoding="utf-8") as file:
        shown = {source_of(row["source"]).words for row in csv.DictReader(file)}
    assert [words for words in shown if "file-index" in words or "github:" in words] == []


def test_a_page_of_a_model_links_the_source_of_a_quoted_figure(client: Client) -> None:
    model = make_model()
    source = f"github:owner/name cards/one.md @ {SHA}"
    ReferenceScore.objects.create(model=model, benchmark="mmlu", value=70.0, source=source, preferred=True)
    html = client.get(f"/models/{model.slug}/").content.decode()
    assert f'href="https://github.com/owner/name/blob/{SHA}/cards/one.md"' in html
    assert SHA not in html.replace(f"/{SHA}/", "")
