"""What a model's name says of it: its size where that is plain, and whose weights it repackages."""

import pytest

from evaluation.importers.name_facts import Known, Size, base_of, completed, size_of
from evaluation.importers.names import model_named
from evaluation.importers.published import Published
from evaluation.importers.published_rows import store_published
from evaluation.models import LanguageModel
from tests.factories import make_endpoint, make_model


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("maker/model-7b", Size("7", 7.0)),
        ("Qwen/Qwen2.5-0.5B-Instruct", Size("0.5", 0.5)),
        ("TheBloke/deepseek-llm-67b-chat-GGUF", Size("67", 67.0)),
        ("TheBloke/Tess-34B-v1.5b-GGUF", Size("34", 34.0)),  # v1.5b is a version
        ("migtissera/Synthia-70B-v1.2b", Size("70", 70.0)),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", Size("8x7", None)),  # its parts share parameters
        ("Qwen/Qwen3-235B-A22B", Size("235", 235.0)),  # 22 are at work at a time
        ("maker/Yi-34B-200K@Q4_K_M", Size("34", 34.0)),
        ("mlabonne/NeuralBeagle14-7B", Size("7", 7.0)),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", Size("0.135", 0.135)),
        ("Qwen/Qwen2.5-7B-Instruct-1M", Size("7", 7.0)),  # a million tokens of context
        ("ollama:llama3-8b", Size("8", 8.0)),
        ("qwen-7b:latest", Size("7", 7.0)),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", None),  # of 16 experts, 17 billion at work
        ("stabilityai/stablelm-2-zephyr-1_6b", None),  # 1.6 here; "llama-3_70b" would be 70
        ("cloudyu/7B-or-13B", None),
        ("maker/model-4bit", None),
        ("maker7b/model", None),
        ("maker/model-0b", None),
        ("gpt-4-0613", None),
        ("phi-2", None),
    ],
)
def test_a_size_is_read_where_the_name_says_one_and_only_one(name: str, size: Size | None) -> None:
    assert size_of(name) == size


def test_a_repackaged_model_is_the_known_one_of_the_same_name() -> None:
    known = ("deepseek-ai/deepseek-llm-67b-chat", "other/Solar-10b", "third/solar-10b", "Qwen/Qwen-72B-Chat")
    assert base_of("TheBloke/deepseek-llm-67b-chat-GGUF", known) == known[0]
    assert base_of("Qwen/Qwen-72B-Chat-Int4", known) == "Qwen/Qwen-72B-Chat"
    assert base_of("somebody/Qwen-72B-Chat-Int4", known) == "", "a namesake of another maker may be another model"
    assert base_of("TheBloke/Solar-10B-GPTQ", known) == "", "two are called so"
    assert base_of("other/Solar-10b", known) == ""


def filled(*models: Known) -> dict[str, Known]:
    return completed(models)


def test_maker_and_weights_are_those_of_the_model_that_was_repackaged() -> None:
    base = Known("deepseek-ai/llm-67b", "DeepSeek", "67", 67.0, open_weights=True)
    copy = Known("TheBloke/llm-67b-GGUF", "TheBloke")
    assert filled(base, copy) == {copy.name: Known(copy.name, "DeepSeek", "67", 67.0, open_weights=True)}


def test_a_repackager_is_no_maker_and_what_it_packs_is_open() -> None:
    copy = Known("TheBloke/bagel-34b-v0.2-GGUF", "TheBloke")
    assert filled(copy) == {copy.name: Known(copy.name, "", "34", 34.0, open_weights=True)}
    own = Known("some/dolphin-2x7b-GGUF", "some")
    assert filled(own)[own.name].open_weights is True


def test_relatives_give_maker_and_weights_only_where_all_agree() -> None:
    small, large = Known("lab/vicuna-7b-v1", "LMSYS", "7", 7.0, open_weights=True), Known("lab/vicuna-13b-v1")
    dated = [Known("bot-1-0125", "Bot Co", open_weights=False), Known("bot-1-0613", "Bot Co", open_weights=False)]
    plain, mixed = Known("bot-1"), Known("large")
    split = [Known("large-2402", "Lab", open_weights=False), Known("large-2407", "Lab", open_weights=True)]
    found = filled(small, large, plain, mixed, *dated, *split)
    assert found == {
        large.name: Known(large.name, "LMSYS", "13", 13.0, open_weights=True),
        plain.name: Known(plain.name, "Bot Co", open_weights=False),
        mixed.name: Known(mixed.name, "Lab"),
    }


def test_the_billions_of_a_mixture_are_those_that_a_table_says_of_others_of_its_kind() -> None:
    table = Known("lab/Mixtral-8x7B", "Lab", "8x7", 46.7, open_weights=True)
    other, rare = Known("some/tuned-8x7b", "some"), Known("some/tuned-2x7b", "some")
    found = filled(table, other, rare)
    assert (found[other.name].params_billion, found[other.name].params) == (46.7, "8x7")
    assert (found[rare.name].params_billion, found[rare.name].params) == (None, "2x7")


def test_what_is_known_stays() -> None:
    sure = Known("TheBloke/koala-7B-HF", "UC Berkeley", "6.7", 6.7, open_weights=False)
    assert filled(sure) == {}


@pytest.mark.django_db
@pytest.mark.database
def test_a_new_model_has_the_size_that_its_name_says() -> None:
    model = model_named("maker/model-13b")
    assert (model.organisation, model.params, model.params_billion) == ("maker", "13", 13.0)
    assert model_named("TheBloke/model-13b-GGUF").organisation == ""


@pytest.mark.django_db
@pytest.mark.database
def test_loading_published_figures_fills_gaps_once_and_leaves_what_staff_set() -> None:
    gap = make_model("TheBloke/bagel-34b-GGUF", organisation="TheBloke")
    by_hand = make_model("maker/model-7b", facts_by_hand=["params", "params_billion"])
    of_stranger = make_model("stranger/model-9b")
    make_endpoint(model=of_stranger, owner="198.51.100.7")
    changed = [store_published(Published((), ())).models_changed for _ in range(2)]
    assert changed == [1, 0]
    gap.refresh_from_db()
    assert (gap.organisation, gap.params_billion, gap.open_weights) == ("", 34.0, True)
    sizes = LanguageModel.objects.filter(pk__in=[by_hand.pk, of_stranger.pk]).values_list("params_billion", flat=True)
    assert [*sizes] == [None, None]
