"""What is read for the pages of judges: listed runs on open banks, and the ratings of people of the same replies."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from evaluation.benchmarks import JUDGES_OF
from evaluation.benchmarks.empathy.scoring import certain_median
from evaluation.importers.replies import PEOPLE
from evaluation.models import OPEN_STATUSES, Access, FaultKind, ItemBank, Judge, Run, Status
from evaluation.statistics.judges import Ratings
from leaderboard.study.models import Rating, Study
from leaderboard.study.states import GroupState, ParticipationState


@dataclass(frozen=True, slots=True)
class Judged:
    """The replies of one responder under one judge, with what people said of them where they did.

    `ratings` and `people` are medians by the id of the prompt; `asked` counts the prompts, `done` the judgements that
    are stored, of `wanted`.
    """

    run: Run
    label: str
    is_own: bool
    is_people: bool
    asked: int
    done: int
    wanted: int
    ratings: Ratings = field(default_factory=dict)
    people: Ratings = field(default_factory=dict)

    @property
    def has_ended(self) -> bool:
        return self.run.status not in OPEN_STATUSES

    @property
    def counts(self) -> bool:
        """Whether its shares may be shown: an unread judge has no ranking."""
        return self.run.status == Status.FINISHED

    @property
    def cannot_be_read(self) -> bool:
        return self.run.status == Status.FAILED and self.run.failure_kind == FaultKind.PARSE


def judges() -> list[Judge]:
    return list(Judge.objects.select_related("endpoint"))


def banks_of(judge: Judge) -> list[ItemBank]:
    """The open banks on which the judge has listed runs, the one with most of them first. One query."""
    runs = _runs(judge).values("bank").annotate(n=Count("pk")).order_by("-n", "bank")
    order = [row["bank"] for row in runs]
    found = ItemBank.objects.in_bulk(order)
    return [found[pk] for pk in order]


def judged_by(judge: Judge, bank: ItemBank) -> list[Judged]:
    """One judgement of each responder's replies, by name: of those that have finished the newest of replies that people
    rated, else the newest; where none has finished, the newest. Three queries.

    A model that replies again would otherwise lose what people say of its replies.
    """
    every = list(_runs(judge).filter(bank=bank).select_related("model", "subject").order_by("pk"))
    people = people_on({run.subject_id for run in every if run.subject_id})
    runs: dict[int, Run] = {}
    for run in every:
        older = runs.get(run.model_id)
        if older is None or _weight(run, people) >= _weight(older, people):
            runs[run.model_id] = run
    done = dict(
        Run.objects.filter(pk__in=[run.pk for run in runs.values()])
        .annotate(n_done=Count("results"))
        .values_list("pk", "n_done")
    )
    found = [_judged(run, judge, done.get(run.pk, 0), people.get(run.subject_id or 0, {})) for run in runs.values()]
    return sorted(found, key=lambda each: each.label.casefold())


def _weight(run: Run, people: Mapping[int, Ratings]) -> tuple[bool, bool]:
    is_finished = run.status == Status.FINISHED
    return is_finished, is_finished and bool(people.get(run.subject_id or 0))


def _runs(judge: Judge) -> QuerySet[Run]:
    judging = Run.objects.listed().filter(endpoint=judge.endpoint_id, subject__isnull=False, benchmark__in=JUDGES_OF)
    return judging.filter(bank__access=Access.OPEN).exclude(status=Status.CANCELLED)


def _judged(run: Run, judge: Judge, done: int, people: Ratings) -> Judged:
    subject = run.subject
    detail = run.detail if isinstance(run.detail, dict) else {}
    return Judged(
        run=run,
        label=str(run.model),
        is_own=same_maker(run.model.organisation, judge.maker),
        is_people=subject is not None and PEOPLE.items() <= subject.settings.items(),
        asked=run.n_items,
        done=done,
        wanted=run.n_asks,
        ratings=detail.get("medians", {}),
        people=people,
    )


def same_maker(organisation: str, maker: str) -> bool:
    return bool(organisation) and " ".join(organisation.casefold().split()) == " ".join(maker.casefold().split())


def people_on(subjects: Collection[int], *, study: Study | None = None) -> dict[int, dict[str, int]]:
    """Id of a run of replies -> id of a prompt -> how people rated the reply: in that study, or in all of them.

    Ratings count once their group is closed: whoever saw shares of an open one might close it at a good moment. Of
    several ratings of one reply the median counts, where there is one. One query.
    """
    ratings = Rating.objects.filter(
        response__result__run__in=subjects,
        participation__state=ParticipationState.DONE,
        participation__group__state=GroupState.CLOSED,
    )
    if study is not None:
        ratings = ratings.filter(participation__study=study)
    return _medians(ratings.values_list("response__result__run_id", "response__result__item__item_id", "value"))


def _medians(rows: Iterable[tuple[int, str, int]]) -> dict[int, dict[str, int]]:
    values: dict[tuple[int, str], list[int]] = defaultdict(list)
    for run_id, item_id, value in rows:
        values[run_id, item_id].append(value)
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for (run_id, item_id), ratings in values.items():
        median = certain_median(ratings, len(ratings))
        if median is not None:
            found[run_id][item_id] = median
    return dict(found)
