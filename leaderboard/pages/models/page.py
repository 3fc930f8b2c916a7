"""The page of one model: at most twelve queries, nine while nothing in the ranking has changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.models import LanguageModel, Run
from leaderboard.drawings.badges import Badge, badge
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import OfModel, ShownPart, shown
from leaderboard.pages.models.facts import Facts, facts_of
from leaderboard.pages.models.field import NOBODY, Field, field_of
from leaderboard.pages.models.items import (
    ItemFacts,
    Leaning,
    Means,
    Profile,
    items_of,
    leaning_of,
    means_of,
    profile_of,
)
from leaderboard.pages.models.profile import Profile as OverAll
from leaderboard.pages.models.profile import latencies_of
from leaderboard.pages.models.profile import profile_of as over_all_of
from leaderboard.pages.models.runs import (
    Replicates,
    RunRow,
    key_of,
    profiled_run,
    replicates,
    run_row,
    runs_of,
    shown_run,
)
from leaderboard.pages.models.standing import (
    Company,
    Drawn,
    ReferenceRow,
    StandingRow,
    companies,
    drawn,
    facts_and_agreements,
    reference_rows,
    standing_rows,
)
from leaderboard.pages.models.transcripts import Transcripts, transcripts
from leaderboard.pages.rankings.directory import Stamp, held_a_moment
from leaderboard.pages.rankings.page import Ranking, described, loaded_banks
from leaderboard.pages.rankings.page import subject_of as of_ranking
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.wording.model_findings import standing_sentence


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What the address asks for, as it stands there: what names nothing falls back to the default."""

    ranking: str = ""
    run: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """What is looked up before a page is made: every ranking that has rows, the runs of the model, a mark of facts."""

    known: Mapping[str, Company]
    runs: tuple[Run, ...]
    facts: Stamp | None

    @property
    def stamp(self) -> tuple[object, ...] | None:
        """A mark of all that changes the page; None while there is no standing."""
        standings = [(key, *company.stamp) for key, company in sorted(self.known.items())]
        return (*standings, *map(mark_of_run, self.runs), self.facts) if standings else None


@dataclass(frozen=True, slots=True)
class ModelPage:
    """All that the model page shows. `current` is the standing that opens it, in `ranking`; None where none stands."""

    model: LanguageModel
    facts: Facts
    ranking: Ranking | None
    current: StandingRow | None
    sentence: str
    drawn: Drawn | None
    standings: tuple[StandingRow, ...]
    references: tuple[ReferenceRow, ...]
    replicates: tuple[Replicates, ...]
    profile: Profile | None
    leaning: Leaning | None
    transcripts: Transcripts | None
    over_all: OverAll | None
    part: ShownPart | None = None

    @property
    def has_runs(self) -> bool:
        return bool(self.replicates)


@dataclass(frozen=True, slots=True)
class Subject:
    """What the parts of the page share: the chosen ranking, its rows, and all runs of the model that may be seen."""

    ranking: Ranking | None
    standings: tuple[StandingRow, ...]
    runs: tuple[RunRow, ...]
    known: Mapping[str, Company]
    titles: Mapping[str, Ranking]

    @property
    def key(self) -> str:
        return self.ranking.key if self.ranking else ""

    @property
    def current(self) -> StandingRow | None:
        return next((row for row in self.standings if row.key == self.key), None)


@dataclass(frozen=True, slots=True)
class Answers:
    """The items of the chosen ranking's bank, and what the newest run that counts answered to them."""

    items: tuple[ItemFacts, ...]
    run: RunRow | None
    means: Means | None


def standing_of(model: LanguageModel, ranking: str) -> StandingRow | None:
    """The row in a ranking, or in the one that opens the model's page; None where it stands in none. Three queries."""
    known = companies()
    banks = loaded_banks()
    rows = standing_rows(model, known, {key: described(key, banks) for key in known})
    return next((row for row in rows if row.key == ranking), next(iter(rows), None))


def badge_of(model: LanguageModel, ranking: str) -> Badge:
    """The badge in a ranking, or in the one that opens the model's page. Three queries."""
    row = standing_of(model, ranking)
    if row is None:
        return badge(str(model), "EQ Leaderboard", None, "")
    return badge(str(model), row.title, row.score, row.rank_words, digits=row.digits)


def looked_up(slug: str, *, hidden: bool) -> Looked:
    """What changes whenever the page of a model does. Two queries, of which the first asks for the mark of facts too,
    but not within STAMP_SECONDS after another request of the process."""
    known: dict[str, Company] = {}

    def look() -> Stamp | None:
        known.update(companies(**facts_and_agreements()))
        return next((company.marks for company in known.values()), None)

    facts = held_a_moment("facts-stamp", look)
    return Looked(known or companies(), tuple(runs_of(slug, hidden=hidden)), facts)


def mark_of_run(run: Run) -> tuple[object, ...]:
    return (
        run.pk,
        run.status,
        run.score,
        run.n_scored,
        run.scorer_version,
        len(run.score_history),
        run.replies_erased_at,
        run.bank.access,
    )


def model_page(model: LanguageModel, request: ModelRequest, looked: Looked) -> ModelPage:
    subject = subject_of(model, request, looked)
    answers, references = answers_of(subject), reference_rows(model)
    field = field_of_subject(subject, answers)
    current, run, means = subject.current, answers.run, answers.means
    # Where an item's value is neither good nor bad, no item is easy or hard for a model.
    by_item = subject.ranking is None or "items" in kind_of(subject.ranking.benchmark).sections
    return ModelPage(
        model=model,
        facts=facts_of(model),
        ranking=subject.ranking,
        current=current,
        sentence=standing_sentence(current.origin, current.rank, current.tied, current.n_ranked) if current else "",
        drawn=drawn(current, field, subject.ranking.benchmark) if current and subject.ranking else None,
        standings=subject.standings,
        references=references,
        replicates=tuple(all_replicates(subject)),
        profile=profile_of(run.run, answers.items, means, field) if run and means and by_item else None,
        leaning=leaning_of(run.run, answers.items, means) if run and means and by_item else None,
        transcripts=transcripts_of(subject, answers, request, field),
        part=part_of(model, subject, answers),
        over_all=over_all_of(
            model,
            subject.standings,
            references,
            looked.runs,
            latencies_of(subject.standings, {run.pk: means.latencies} if run and means else {}),
        ),
    )


def part_of(model: LanguageModel, subject: Subject, answers: Answers) -> ShownPart | None:
    """What the kind of the chosen ranking shows of the model."""
    if subject.ranking is None:
        return None
    run = answers.run.run if answers.run else None
    return shown(kind_of(subject.ranking.benchmark).model_part, OfModel(model, of_ranking(subject.ranking), run))


def subject_of(model: LanguageModel, request: ModelRequest, looked: Looked) -> Subject:
    banks, known, runs = loaded_banks(), looked.known, looked.runs
    titles = {key: described(key, banks) for key in {*known, *map(key_of, runs)}}
    standings = standing_rows(model, known, titles)
    by_key = {row.key: row for row in standings}
    keys = [*by_key, *(key_of(run) for run in runs)]
    chosen = request.ranking if request.ranking in keys else next(iter(keys), None)
    return Subject(
        ranking=titles[chosen] if chosen else None,
        standings=standings,
        runs=tuple(run_row(run, by_key.get(key_of(run))) for run in runs),
        known=known,
        titles=titles,
    )


def answers_of(subject: Subject) -> Answers:
    run = profiled_run(subject.runs, subject.current, subject.key)
    if run is None:
        return Answers((), None, None)
    items = tuple(items_of(run.run.bank))
    return Answers(items, run, means_of(run.run, items))


def field_of_subject(subject: Subject, answers: Answers) -> Field:
    if subject.key not in subject.known:
        return NOBODY
    measure = ranking_measure(subject.ranking.benchmark if subject.ranking else subject.key)
    return field_of(subject.key, subject.known[subject.key].stamp, [item.pk for item in answers.items], measure)


def all_replicates(subject: Subject) -> list[Replicates]:
    """The runs ranking by ranking, the chosen one first."""
    keys = dict.fromkeys([subject.key, *(row.key for row in subject.standings), *(run.ranking for run in subject.runs)])
    by_key = {key: [run for run in subject.runs if run.ranking == key] for key in keys}
    standings = {row.key: row for row in subject.standings}
    return [
        replicates(key, subject.titles[key].title, runs, standings.get(key)) for key, runs in by_key.items() if runs
    ]


def transcripts_of(subject: Subject, answers: Answers, request: ModelRequest, field: Field) -> Transcripts | None:
    """The answers of the run that was asked for, else of the newest that counts. None without a run."""
    row = shown_run(subject.runs, request.run, subject.current, subject.key)
    if row is None:
        return None
    medians = {item.item_id: field.medians[item.pk] for item in answers.items if item.pk in field.medians}
    of_field = medians if row.ranking == subject.key else {}
    return transcripts(row, results_of(row.run, answers), subject.runs, request.page, of_field)


def results_of(run: Run, answers: Answers) -> Sequence[int]:
    """The keys of a run's results by item and repeat: at hand for the run whose answers are, else one query."""
    if answers.run is not None and answers.means is not None and answers.run.pk == run.pk:
        return answers.means.results
    return list(run.results.order_by("item__number", "repeat").values_list("pk", flat=True))
