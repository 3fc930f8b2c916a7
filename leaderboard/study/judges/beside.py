"""People beside judges on the page of a study's results: how often each calls the replies of a responder Good."""

from collections import defaultdict
from dataclasses import dataclass

from evaluation.models import Access, Judge, Run, Status
from evaluation.statistics.judges import Ratings
from leaderboard.rounding import MISSING, count, number
from leaderboard.study.judges.figures import share
from leaderboard.study.judges.reading import people_on, same_maker
from leaderboard.study.models import Study


@dataclass(frozen=True, slots=True)
class BesideCell:
    """A judge's share of Good; `is_own` where the responder is of the judge's own maker."""

    share: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class BesideRow:
    label: str
    people: str
    n: str
    cells: tuple[BesideCell, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    judges: tuple[Judge, ...]
    rows: tuple[BesideRow, ...]


def beside(study: Study) -> Beside | None:
    """Of the responders whose replies a judge has read; None without any. Judges that cannot be read are left out.

    People's share is that of closed groups of this study, over the replies that came from a run; where there is one, a
    judge's is over the same replies. Three queries.
    """
    responders = [each for each in study.responders.select_related("run", "model") if each.run_id]
    found: dict[int, dict[Judge, Run]] = defaultdict(dict)
    for run in _judged([each.run_id for each in responders if each.run_id]):
        if run.endpoint is not None and run.subject_id is not None:
            found[run.subject_id][run.endpoint.judge] = run
    judges = tuple(sorted({judge for each in found.values() for judge in each}, key=lambda judge: judge.name))
    if not judges:
        return None
    people = people_on([each.run_id for each in responders if each.run_id], study=study)
    return Beside(
        judges,
        tuple(
            BesideRow(
                label=each.label,
                people=_per_cent(share(people.get(each.run_id or 0, {}))),
                n=count(len(people.get(each.run_id or 0, {}))) if people.get(each.run_id or 0) else MISSING,
                cells=tuple(
                    _cell(
                        found[each.run_id or 0].get(judge),
                        judge,
                        each.model.organisation if each.model else "",
                        people.get(each.run_id or 0, {}),
                    )
                    for judge in judges
                ),
            )
            for each in responders
        ),
    )


def _judged(subjects: list[int]) -> list[Run]:
    runs = Run.objects.listed().filter(subject__in=subjects, status=Status.FINISHED, bank__access=Access.OPEN)
    return list(runs.filter(endpoint__judge__isnull=False).select_related("endpoint__judge").order_by("pk"))


def _cell(run: Run | None, judge: Judge, organisation: str, people: Ratings) -> BesideCell:
    detail = run.detail if run is not None and isinstance(run.detail, dict) else {}
    medians: Ratings = detail.get("medians", {})
    if people:
        medians = {prompt: rating for prompt, rating in medians.items() if prompt in people}
    return BesideCell(_per_cent(share(medians)), same_maker(organisation, judge.maker))


def _per_cent(value: float | None) -> str:
    return MISSING if value is None else f"{number(100 * value, 1)} %"
