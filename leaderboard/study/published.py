"""The published study on this board: the counts that we ship, stored as rows like those of any other study."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.importers.study_files import read_study
from evaluation.importers.tables import read_table
from evaluation.statistics.study_figures import ALL
from leaderboard.study.methods import COUNTS as COUNTS_TERM
from leaderboard.study.methods import DESIGN, EXCLUSIONS, LICENCES, REPLIES
from leaderboard.study.models import AggregateCount, PromptSet, Responder, Study
from leaderboard.study.results import refresh_results
from leaderboard.study.states import ResponderKind, StudyState

COUNTS = SHIPPED_FOLDER / "empathy_study.csv"
RATERS = SHIPPED_FOLDER / "empathy_raters.csv"
RATER_COLUMNS = ("responder", "n", "good", "raters")
SLUG = "welivita-pu-2024"
REFERENCE = "human"
CITATION = (
    "Anuradha Welivita and Pearl Pu, Are Large Language Models More Empathetic than Humans?, 2024, arXiv 2406.05063"
)
BASELINE_NOTE = (
    "“Human” means replies by crowd workers who were not asked to be empathetic; it does not mean people in general."
)
NOTES: Mapping[str, str] = {
    DESIGN: (
        "200 raters for each source, ten replies a rater, every reply rated once. November 2023 for Human and GPT-4; "
        "the other three were rated later."
    ),
    REPLIES: (
        "One prompt for all models, with a definition of empathy. Models wrote longer replies: 35 to 61 tokens on "
        "average, against 28."
    ),
    COUNTS_TERM: (
        "Human and GPT-4 are counted from public ratings. The others are recovered: their number of Good follows from "
        "the printed chi-square, which only one number fits. Okay and Bad cannot be recovered."
    ),
    EXCLUSIONS: "None: all 2,000 ratings of each source count.",
    LICENCES: (
        "The prompts come from EmpatheticDialogues (CC BY-NC 4.0), and neither prompts nor replies are shown. The "
        "counts are facts, which no licence restricts."
    ),
    "Tests by ratings": (
        "GPT-4’s lead over LLaMA-2 is significant if all ratings are independent. They are not: each rater gave ten."
    ),
}


@dataclass(frozen=True, slots=True)
class Published:
    """`tokens`: the mean length of a reply, as published."""

    label: str
    tokens: float


RESPONDERS: Mapping[str, Published] = {
    "human": Published("Human", 28.37),
    "gpt-4": Published("GPT-4", 34.94),
    "llama-2-70b-chat": Published("LLaMA-2-70B-Chat", 53.45),
    "mixtral-8x7b-instruct": Published("Mixtral-8x7B-Instruct", 61.35),
    "gemini-1.0-pro": Published("Gemini-1.0-Pro", 53.99),
}


@transaction.atomic
def load_published_study() -> bool:
    """Stores the study and computes its results. False, and nothing changes, where it is there already."""
    if Study.objects.filter(slug=SLUG).exists():
        return False
    prompts = PromptSet.objects.create(
        slug=SLUG,
        title="Prompts of the study of 2024",
        licence="CC BY-NC 4.0 (EmpatheticDialogues)",
        sha256=sha256(SLUG.encode()).hexdigest(),
    )
    study = Study.objects.create(
        slug=SLUG,
        title="Empathetic replies",
        prompt_set=prompts,
        state=StudyState.CLOSED,
        ethics_reference="As its authors report; no rating was made on this board.",
        baseline_note=BASELINE_NOTE,
        citation=CITATION,
        notes=dict(NOTES),
    )
    AggregateCount.objects.bulk_create(_counts(study, _responders(study)))
    refresh_results(study)
    return True


def _responders(study: Study) -> dict[str, Responder]:
    return {
        key: Responder.objects.create(
            study=study,
            key=key,
            label=published.label,
            kind=ResponderKind.HUMAN if key == REFERENCE else ResponderKind.MODEL,
            is_baseline=key == REFERENCE,
            mean_tokens=published.tokens,
        )
        for key, published in RESPONDERS.items()
    }


def _counts(study: Study, responders: Mapping[str, Responder]) -> Iterable[AggregateCount]:
    found, raters = read_study(COUNTS.name, COUNTS.read_bytes()), _raters()
    for scope, cells in found.cells.items():
        for cell in cells:
            yield AggregateCount(
                study=study,
                responder=responders[cell.responder],
                scope=scope,
                basis=cell.basis,
                bad=cell.bad,
                okay=cell.okay,
                good=cell.good,
                n=cell.n,
                n_raters=found.n_raters.get(cell.responder),
                raters=raters.get(cell.responder) if scope == ALL else None,
                source=CITATION,
            )


def _raters() -> dict[str, list[list[int]]]:
    """Responder -> how many raters gave so many Good among so many ratings: [ratings, Good, raters]."""
    found: dict[str, list[list[int]]] = defaultdict(list)
    for line in read_table(RATERS, RATER_COLUMNS):
        found[line.cells["responder"]].append([int(line.number(column, 0, 1000)) for column in RATER_COLUMNS[1:]])
    return found
