"""What the API sends, field by field. Scores are in the unit of the measure that ranks; intervals hold 95 %; times are
ISO 8601 in UTC."""

from datetime import date, datetime
from typing import Any

from ninja import Field, Schema

from leaderboard.sharing.export_notes import RANKING, RUN

OF_A_MONTH = "of a private bank the beginning of its month"
COMPUTED_AT = f"when its newest row was computed, demonstrations among them, as in the ranking's files; {OF_A_MONTH}"


class Page(Schema):
    """One page of a list: count entries in all, those from offset on, at most limit."""

    count: int
    limit: int
    offset: int
    next: str | None = Field(description="address of the next page")
    previous: str | None


class ModelOut(Schema):
    slug: str
    name: str = Field(description="Hugging Face id or API name")
    display_name: str
    organisation: str
    params: str = Field(description="as published, for example 8x7B")
    params_billion: float | None
    open_weights: bool | None
    licence: str
    released_on: date | None
    released_month_only: bool
    link: str


class ModelPage(Page):
    results: list[ModelOut]


class PlaceOut(Schema):
    """A model's place in one ranking. rank is null for rows that stand in the table without competing."""

    ranking: str
    rank: int | None = Field(description=RANKING["rank"])
    rank_low: int | None = Field(description=RANKING["rank_low"])
    rank_high: int | None = Field(description=RANKING["rank_high"])
    tie_group: int | None = Field(description=RANKING["tie_group"])
    tied_with: int | None = Field(description=RANKING["tied_with"])
    rank_low_all: int | None = Field(description=RANKING["rank_low_all"])
    rank_high_all: int | None = Field(description=RANKING["rank_high_all"])
    origin: str = Field(description="measured, imported, published, baseline or demo")
    vouched_by: str | None = Field(description=RANKING["vouched_by"])
    score: float = Field(description=RANKING["score"])
    strict_score: float | None = Field(description=RANKING["strict_score"])
    figures: dict[str, float | None] = Field(
        description="all further figures of the benchmark, by their names in files"
    )
    standard_error: float | None = Field(description="of the score, in its unit, over the items")
    interval_low: float | None = Field(description=RANKING["interval_low"])
    interval_high: float | None = Field(description=RANKING["interval_high"])
    approximate: bool = Field(description=RANKING["approximate"])
    cv_percent: float | None = Field(description="over runs and repeats; null without a natural zero")
    repeats: int = Field(description=RANKING["repeats"])
    runs_used: int = Field(description=RANKING["runs"])
    n_items: int | None = Field(description=RANKING["n_items"])
    n_scored: int | None = Field(description=RANKING["n_scored"])
    run: int | None = Field(description="newest run used")
    run_ids: list[int] = Field(
        description="the runs that count, oldest first; the score is the mean over all their passes"
    )
    other_settings: str = Field(description="how these were asked otherwise than the benchmark's standard, else empty")
    scorer_version: str = Field(description="of these runs; several are joined by commas")
    needs_rescoring: bool = Field(description=RANKING["needs_rescoring"])
    measured_on: date | None = Field(description=RANKING["measured_on"])
    added_on: date = Field(description=RANKING["added_on"])


class RowOut(PlaceOut):
    model: str = Field(description="slug of the model")
    model_name: str
    display_name: str
    organisation: str
    params_billion: float | None
    open_weights: bool | None


class LineOut(Schema):
    """A reference line that is not a model, such as people."""

    name: str
    figures: dict[str, float] = Field(description="name of a figure, as in the files of the ranking -> its value")
    note: str


class RowPage(Page):
    key: str
    title: str
    bank_sha256: str = Field(description="of the item bank; empty where none is loaded")
    computed_at: datetime | None = Field(description=COMPUTED_AT)
    lines: list[LineOut] = Field(description="such as people; empty for most rankings")
    results: list[RowOut]


class RankingOut(Schema):
    key: str
    title: str
    benchmark: str
    bank_sha256: str
    n_rows: int
    n_ranked: int
    computed_at: datetime | None = Field(description=COMPUTED_AT)


class RankingPage(Page):
    results: list[RankingOut]


class FigureOut(Schema):
    """A figure that somebody else published for the model."""

    benchmark: str
    value: float
    setting: str
    as_of: str
    source: str
    preferred: bool


class RunFigureOut(Schema):
    value: float | None
    error: float | None = None
    n: int | None = None


class RunOut(Schema):
    id: int
    model: str = Field(description="slug of the model")
    model_name: str
    bank: str = Field(description="slug of the item bank")
    bank_sha256: str
    benchmark: str = Field(description="name of the scoring rule")
    ranking: str = Field(description="key of the ranking that it may count in")
    origin: str = Field(description="measured, imported, published, baseline or demo")
    vouched_by: str | None = Field(description=RANKING["vouched_by"])
    status: str = Field(description="queued, running, waiting, finished, failed or cancelled")
    partial: bool = Field(description="not every item was asked; such a run never ranks")
    parent: int | None = Field(description="the run that this one repeats")
    repeats: int = Field(description="passes over the items that were asked for")
    n_items: int = Field(description="items asked in each repeat")
    n_scored: int = Field(description="items with a score, in any repeat")
    n_strict: int = Field(description="those of them that the official reading alone can read")
    score: float | None = Field(description="in the unit of the benchmark, by the standard reading; null without one")
    strict_score: float | None = Field(description=RANKING["strict_score"])
    standard_error: float | None = Field(description="of the score, in its unit, over the items")
    interval_low: float | None = Field(description="in the unit of the score; lower end of its 95 % interval")
    interval_high: float | None
    repeat_scores: list[float | None] = Field(description="of each repeat, in their order")
    counted_part: str = Field(description="part of the replies that counts: first_pass, revised or, of repeats, mixed")
    parse_share: float | None = Field(description="share of the items with a score, as a mean over the repeats, 0 to 1")
    strict_share: float | None = Field(description="the same by the official reading alone")
    scorer_version: str
    needs_rescoring: bool = Field(description=RANKING["needs_rescoring"])
    other_settings: str = Field(description="how it was asked otherwise than the benchmark's standard, else empty")
    published_score: float | None = Field(description="the score that an imported file claims for itself")
    requests: int = Field(
        description="requests that were tried: repeated ones and those that reached no server among them, without "
        "those that were in flight when a worker was killed"
    )
    prompt_tokens: int = Field(description="tokens of all requests, repeated ones among them, as the endpoint counts")
    completion_tokens: int = Field(description="tokens of all replies, hidden thinking and repeats among them")
    wall_seconds: float = Field(description="time at work, without waits")
    fault_counts: dict[str, int] = Field(description="faults on the way, by kind: endpoint, model, parse or platform")
    failure_kind: str = Field(description="the kind of fault that ended it, else empty")
    failure_message: str
    figures: dict[str, RunFigureOut] = Field(
        description="all figures by the names of their measures: value, standard error and the items behind it"
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunPage(Page):
    results: list[RunOut]


class CorrectionOut(Schema):
    at: datetime
    old_score: float | None
    new_score: float | None
    old_version: str
    new_version: str


class RunDetail(RunOut):
    corrections: list[CorrectionOut]
    manifest: dict[str, Any]


class ModelDetail(ModelOut):
    places: list[PlaceOut]
    runs: list[RunOut] = Field(description="newest first, at most 200")
    figures: list[FigureOut]


class AnswerOut(Schema):
    """One part of one result. labels are empty where the bank's texts are not public."""

    item: str = Field(description=RUN["item"])
    number: int = Field(description=RUN["number"])
    repeat: int = Field(description=RUN["repeat"])
    part: str = Field(description=RUN["part"])
    counted: bool = Field(description=RUN["counted"])
    state: str = Field(description=RUN["state"])
    reading: str = Field(description=RUN["reading"])
    labels: list[str] | None = Field(description=RUN["labels"])
    answer: list[float | None] | None = Field(description=RUN["answer"])
    reference: list[float] | None = Field(description=RUN["reference"])
    score: float | None = Field(description=RUN["score"])
    strict_score: float | None = Field(description=RUN["strict_score"])
    reason: str = Field(description=RUN["reason"])
    flags: list[str] = Field(description=RUN["flags"])
    attempts: int = Field(description=RUN["attempts"])
    latency_ms: int | None = Field(description=RUN["latency_ms"])
    prompt_tokens: int | None = Field(description=RUN["prompt_tokens"])
    completion_tokens: int | None = Field(description=RUN["completion_tokens"])
    values: list[float | None] = Field(description=RUN["values"])
    shown: Any = Field(
        None, description="the order in which options or questions were shown; null where there is one order only"
    )


class AnswerPage(Page):
    run: int
    results: list[AnswerOut]


class BankOut(Schema):
    """What is known of an item bank. Its texts are not part of the API."""

    slug: str
    title: str
    benchmark: str
    language: str
    version: str
    sha256: str
    source: str
    licence: str
    citation: str
    texts_public: bool
    n_items: int
    loaded_at: datetime = Field(description=f"when it was loaded; {OF_A_MONTH}")


class BankPage(Page):
    results: list[BankOut]
