"""Reads what a study's result page is made of. Two or three queries."""

from collections.abc import Iterable
from functools import lru_cache

from django.db.models import Avg, Count

from leaderboard.rounding import day, number
from leaderboard.study.models import Response, Study
from leaderboard.study.page import Material
from leaderboard.study.result_models import StudyResult
from leaderboard.study.results import Result, newest_result, result_of
from leaderboard.study.states import Flag


def material_of(study: Study, *, with_rule: bool = False) -> Material | None:
    """None while nothing has been computed. Without an exclusion rule `with_rule` counts as not asked for."""
    with_rule = with_rule and bool(study.exclusion_rule)
    stored = newest_result(study, with_rule=with_rule) or newest_result(study)
    if stored is None:
        return None
    return Material(
        slug=study.slug,
        title=study.title,
        result=_result(stored.key, stored.pk),
        with_rule=stored.with_rule,
        rule=rule_words(study.exclusion_rule) if _has_both(study) else "",
        computed_on=day(stored.computed_at),
        lengths=_lengths(study),
        items_per_rater=study.items_per_rater,
        ratings_per_reply=study.ratings_per_reply,
        baseline_note=study.baseline_note,
        citation=study.citation,
        notes=study.notes,
        licence=study.prompt_set.licence,
    )


def _has_both(study: Study) -> bool:
    return bool(study.exclusion_rule) and StudyResult.objects.filter(study=study, with_rule=True).exists()


@lru_cache(maxsize=16)
def _result(key: str, pk: int) -> Result:
    """Kept, since a row never changes. Its key is asked for as well: it says which content the number stands for."""
    return result_of(StudyResult.objects.get(pk=pk, key=key))


def rule_words(flags: Iterable[str]) -> str:
    """attention item failed and median under 3 seconds a screen."""
    return " and ".join(Flag(flag).label for flag in flags)


def _lengths(study: Study) -> dict[str, tuple[str, str]]:
    """Responder -> the mean length of its replies: in tokens where all were counted, else in words where those are."""
    tokens = {each.key: each.mean_tokens for each in study.responders.all() if each.mean_tokens is not None}
    words: dict[str, float] = {}
    replies = Response.objects.filter(responder__study=study).values("responder__key")
    for line in replies.annotate(n=Count("pk"), tokens=Avg("n_tokens"), known=Count("n_tokens"), words=Avg("n_words")):
        key = line["responder__key"]
        if line["known"] == line["n"]:
            tokens[key] = line["tokens"]
        if line["words"] is not None:
            words[key] = line["words"]
    if words.keys() > tokens.keys():  # one unit for all can be compared
        tokens = {}
    found = {key: (number(value, 1), "words") for key, value in words.items()}
    return found | {key: (number(value, 1), "tokens") for key, value in tokens.items()}
