"""Citations of pages, with absolute addresses; every one links the order of its day."""

from datetime import date, datetime
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from evaluation.models import Run
from leaderboard.pages.rankings.directory import Ranking, title_of_run
from leaderboard.pages.rankings.page import RankingPage
from leaderboard.pages.shared.keeping import is_public
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.sharing.citations import CitedRanking, CitedRun, ranking_bibtex, run_bibtex
from leaderboard.sharing.feeds import joined_at
from leaderboard.sharing.json_ld import FORMATS, dataset
from leaderboard.standings.keys import ranking_key


def as_of_address(request: HttpRequest, ranking: str, at: date) -> str:
    """The absolute address of a ranking as it was at the end of a day."""
    path = f"{reverse('ranking', args=[ranking])}?{urlencode({'at': at.isoformat()})}"
    return request.build_absolute_uri(path)


def cite_ranking(request: HttpRequest, ranking: Ranking, computed_at: datetime | None) -> str:
    """BibTeX of a ranking as of the day of its newest row; "" for one without rows or of a private bank, whose orders
    are not kept."""
    if computed_at is None or ranking.is_private:
        return ""
    return ranking_entry(request, ranking, computed_at.date())


def ranking_entry(request: HttpRequest, ranking: Ranking, at: date) -> str:
    """BibTeX of a ranking as of that day."""
    return ranking_bibtex(
        CitedRanking(
            key=ranking.key,
            title=ranking.title,
            at=at,
            as_of=as_of_address(request, ranking.key, at),
            bank_sha256=ranking.bank_sha256,
            paper=ranking.citation,
        )
    )


def dataset_of(request: HttpRequest, page: RankingPage) -> SafeString | str:
    """The ranking as a schema.org Dataset; "" for one without rows."""
    if page.ranking is None or page.computed_at is None:
        return ""
    key = page.ranking.key
    return dataset(
        title=page.ranking.title,
        description=f"{page.headline}. {page.lede}".strip(),
        address=request.build_absolute_uri(reverse("ranking", args=[key])),
        files=[request.build_absolute_uri(reverse(f"ranking-{ending}", args=[key])) for ending, _ in FORMATS],
        changed_on=page.computed_at.date(),
        measured=[head.column.choice for head in page.heads if head.column.sorts],
        source=(page.table.source_url, page.table.citation) if page.table else None,
    )


def may_rank(run: Run) -> bool:
    """Whether the run may have joined a ranking: gathered replies, failed and partial runs never do."""
    return run.score is not None and run.limit is None


def cite_run(request: HttpRequest, run: Run) -> str:
    """BibTeX of a run that is public and has ended, else ""."""
    if not is_public(run) or run.finished_at is None:
        return ""
    ranking = ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark, run.variant)
    measure = ranking_measure(run.benchmark)
    return run_bibtex(
        CitedRun(
            number=run.pk,
            model=str(run.model),
            title=title_of_run(run),
            score=run.score,
            ended_on=run.finished_at.date(),
            address=request.build_absolute_uri(reverse("run", args=[run.pk])),
            as_of=as_of_address(request, ranking, joined_at(run).date()) if may_rank(run) else "",
            scorer_version=run.scorer_version,
            bank_sha256=run.bank.sha256,
            digits=measure.digits,
            unit=measure.unit,
        )
    )
