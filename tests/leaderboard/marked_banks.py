"""Closed banks of every kind whose texts are words that stand nowhere else: a page that holds one gives a text away."""

from pathlib import Path
from typing import Any

from django.core.management import call_command

from evaluation.benchmarks import BENCHMARKS
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, ItemBank
from tests.evaluation.benchmarks.emotion_files import emotion_files, situations
from tests.evaluation.benchmarks.seceu_files import STANDARDS, seceu_files
from tests.leaderboard.closed_board import STEMS, load_private

OPTIONS = ("Snorklish", "Vexalone", "Prumbled", "Quazzy")
MOODS = tuple(f"{start}{end}" for start in ("Plonki", "Dwimble", "Grubbo", "Hazzle") for end in "fghkm")
PROMPT = "Frambled rating of each word from 1 to 5. SCENARIO All of them:"
SYSTEM = "Snivelgrub numbers only."
MARKS = (
    *STEMS, "snorkl", "vexalo", "prumbl", "quazz", "ogglethwip", "yibberdrax",  # of SECEU: options, story, wording
    "plonki", "dwimble", "grubbo", "hazzle", "frambled", "snivelgrub", "drizzleknock",  # of EmotionBench
    "mumplegock", "tattersnee",  # of prompts for empathetic replies, withheld ones
    "wozzlepeck", "jorrubin", "xantho",  # and private ones: situation, utterance, the ids of items
)  # fmt: skip
N_STORIES, N_PROMPTS, N_QUESTIONS = 8, 6, 60


def seceu() -> ItemBank:
    items = [
        {
            "id": number,
            "story": f"The ogglethwip of quay {number} was sold. The seller would feel:",
            "options": list(OPTIONS),
            "standard_scores": list(STANDARDS[number % 4]),
            "human_mean_distance": 2.0 + number / 10,
        }
        for number in range(1, N_STORIES + 1)
    ]
    prompts = {
        "direct": {"template": "Yibberdrax: {story} Feelings: {options}. Share out ten points"},
        "strategies": {"zero_shot": {"template": "Yibberdrax, as JSON.\nQ: {story} Feelings: {options}.\nA:"}},
    }
    return as_listed("seceu", seceu_files(items={"items": items}, prompts=prompts), "SECEU")


def emotionbench() -> ItemBank:
    rows = [{**row, "text": f"You lose drizzleknock {row['used_id']}."} for row in situations()]
    items = [
        {"id": number + 1, "text": word, "affect": "negative" if number % 2 else "positive"}
        for number, word in enumerate(MOODS)
    ]
    prompts = {
        "system": SYSTEM, "scenario_fill_default": " ", "scenario_fill_evoked": 'Imagine this: "{situation}"'
    }  # fmt: skip
    files = emotion_files(
        situations=rows,
        questionnaires=[{"id": "PANAS", "prompt": PROMPT, "items": items}],
        prompts={"reference_code": prompts},
    )
    return as_listed("emotionbench", files, "EmotionBench")


def as_listed(name: str, files: dict[str, bytes], title: str) -> ItemBank:
    """The bank as the listed one is stored: withheld, and under the name of its family."""
    bank, _ = load_private_files(BENCHMARKS[name], files, f"own-{name}")
    ItemBank.objects.filter(pk=bank.pk).update(slug=name, title=title, access=Access.WITHHELD)
    return ItemBank.objects.get(pk=bank.pk)


def prompts(folder: Path, option: str, slug: str, words: tuple[str, str], ids: str) -> ItemBank:
    """Prompts for empathetic replies; `option` is how they are loaded."""
    lines = [f"{ids}{n},sad,negative,I lost {words[0]} {n}.,It was my {words[1]}." for n in range(1, N_PROMPTS + 1)]
    path = folder / f"{slug}.csv"
    path.write_text("\n".join(["item_id,emotion,valence,situation,utterance", *lines]) + "\n")
    call_command("load_bank", "empathy", option, str(path), "--slug", slug, verbosity=0)
    return ItemBank.objects.get(slug=slug)


def all_banks(folder: Path) -> dict[str, ItemBank]:
    """By slug: three that are withheld and two that are private, and a private one that is too small to be shown."""
    banks: list[Any] = [
        seceu(),
        emotionbench(),
        prompts(folder, "--from", "gloves", ("mumplegock", "tattersnee"), "p"),
        prompts(folder, "--private", "hats", ("wozzlepeck", "jorrubin"), "xantho"),
        load_private(folder, N_QUESTIONS, "office"),
        load_private(folder, 49, "cellar"),
    ]
    return {bank.slug: bank for bank in banks}
