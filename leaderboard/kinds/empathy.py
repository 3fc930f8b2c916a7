"""Empathetic replies on the site: gathered from a model, rated by LLM judges, each with a ranking of its own."""

from collections.abc import Sequence
from datetime import date

from evaluation.benchmarks import JUDGES_OF
from evaluation.benchmarks.empathy import gathering, judging
from evaluation.benchmarks.empathy.scoring import LEVELS, NEEDED
from evaluation.importers.replies import PEOPLE
from evaluation.models import Access, Item, ItemBank, Judge, Run, Status
from evaluation.runs.judging import judge_of, slug_of
from leaderboard.kinds.base import GENERAL_SECTIONS, Context, ItemParts, Kind, KindPart, OfRanking, ScorerChange
from leaderboard.models import Standing
from leaderboard.rounding import MISSING

CHANGES = (
    ScorerChange(
        "empathy-judged/1.2",
        date(2026, 11, 30),
        "The same prompt. An answer that gives another verdict beside its JSON is not read.",
    ),
    ScorerChange(
        "empathy-judged/1",
        date(2026, 11, 28),
        "First version. Three labels as JSON, temperature 0, three repeats; the median where unread ones cannot change "
        "it. Anything else than a JSON verdict is not read.",
    ),
    ScorerChange(
        "empathy-replies/1",
        date(2026, 11, 28),
        "First version. One reply to each prompt, kept as it came; never ranked by itself.",
    ),
)


def of_ranking(ranking: OfRanking) -> Context | None:
    """Who judges in this ranking, and where the models of the judge's own maker stand. Three queries."""
    judge = Judge.objects.filter(slug=slug_of(ranking.variant)).first() if ranking.benchmark in JUDGES_OF else None
    if judge is None:
        return None
    standings = Standing.objects.filter(ranking=ranking.key, model__organisation__iexact=judge.maker)
    own = standings.select_related("model").order_by("rank", "-score")
    people = Run.objects.listed().filter(bank=ranking.bank_id, variant=ranking.variant, status=Status.FINISHED)
    people = people.filter(**{f"subject__settings__{name}": value for name, value in PEOPLE.items()})
    return {
        "judge": judge,
        "own": [] if judge.is_demo else list(own),
        "people": list(dict.fromkeys(run.model for run in people.select_related("model"))),
    }


def of_run(run: Run) -> Context | None:
    """Of gathered replies how many were empty, and who has judged them; of a judge's run its counts by scope."""
    detail = run.detail if isinstance(run.detail, dict) else None
    if run.benchmark in JUDGES_OF:
        return {"judge": judge_of(run), "subject": run.subject, "detail": detail}
    judged = Run.objects.listed().filter(subject=run.pk, endpoint__judge__isnull=False)
    return {
        "detail": detail,
        "mean_length": run.figures.get("mean_length", {}).get("value"),
        "judging": run.judging,
        "judgements": list(judged.select_related("endpoint__judge").order_by("endpoint__judge__name")),
    }


def of_item(item: Item) -> Context | None:
    """How each judge rated each responder's reply to the item, by the medians of listed runs. One query."""
    if item.bank.access != Access.OPEN:
        return None
    runs = Run.objects.listed().filter(bank=item.bank_id, benchmark__in=JUDGES_OF, status=Status.FINISHED)
    ratings: dict[int, dict[str, str]] = {}
    newest: dict[int, Run] = {}
    for run in runs.filter(endpoint__judge__isnull=False).select_related("model", "endpoint__judge").order_by("pk"):
        medians = run.detail.get("medians", {}) if isinstance(run.detail, dict) else {}
        judge = run.endpoint.judge.name if run.endpoint else ""
        # By model, since two may have one name on pages: each has its own row.
        ratings.setdefault(run.model_id, {})[judge] = LEVELS.get(medians.get(item.item_id, 0), "not read")
        newest[run.model_id] = run
    judges = sorted({judge for each in ratings.values() for judge in each})
    rows = [
        (str(run.model), run.subject_id, [ratings[run.model_id].get(judge, MISSING) for judge in judges])
        for run in sorted(newest.values(), key=lambda run: (str(run.model).casefold(), run.model.name))
    ]
    return {"judges": judges, "rows": rows, "emotion": item.extra.get("emotion")} if rows else None


def of_banks(banks: Sequence[ItemBank]) -> Context:
    """How replies are asked for and judged, from the code that does it."""
    return {
        "most_words": gathering.MOST_WORDS,
        "repeats": judging.REPEATS,
        "further": judging.GENERATION.attempts - 1,
        "judging": judging.GENERATION,
        "needed": NEEDED,
        "gathering_version": gathering.PROMPT_VERSION,
        "gathering_prompt": gathering.PROMPT,
        "judging_version": judging.PROMPT_VERSION,
        "system": judging.SYSTEM,
        "judging_prompt": judging.PROMPT.replace("{{", "{").replace("}}", "}"),
    }


EMPATHY = Kind(
    family="empathy",
    title="Empathetic replies",
    items="prompts",
    lede="{title}: a model answers each of {items} as one answers a person, and one LLM judge calls the reply Good, "
    "Okay or Bad. This is the judge’s view, not people’s; another judge has another ranking.",
    references=(),
    sections=GENERAL_SECTIONS,
    item_parts=ItemParts(
        low=1.0,
        high=3.0,
        digits=0,
        label="figure",
        words="The rating is 3 for Good, 2 for Okay and 1 for Bad; beside it stands the number of words of the reply.",
    ),
    methodology=(KindPart("kinds/empathy/methodology.html", of_banks),),
    ranking_part=KindPart("kinds/empathy/ranking.html", of_ranking),
    item_part=KindPart("kinds/empathy/item.html", of_item),
    run_part=KindPart("kinds/empathy/run.html", of_run),
    changes=CHANGES,
)
