"""What the API sends, field by field. Scores are in points; intervals hold 95 %; times are ISO 8601 in UTC."""

from datetime import date, datetime
from typing import Any

from ninja import Field, Schema

from leaderboard.sharing.export_notes import RANKING


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
    rank: int | None
    rank_low: int | None = Field(description=RANKING["rank_low"])
    rank_high: int | None = Field(description=RANKING["rank_high"])
    tie_group: int | None = Field(description=RANKING["tie_group"])
    origin: str = Field(description="measured, imported, published, baseline or demo")
    score: float
    strict_score: float | None
    standard_error: float | None
    interval_low: float | None
    interval_high: float | None
    approximate: bool
    cv_percent: float | None = Field(description="over runs and repeats")
    repeats: int
    runs_used: int
    n_items: int | None
    n_scored: int | None
    run: int | None = Field(description="newest run used")
    measured_on: date | None


class RowOut(PlaceOut):
    model: str = Field(description="slug of the model")
    model_name: str
    display_name: str
    organisation: str
    params_billion: float | None
    open_weights: bool | None


class RowPage(Page):
    key: str
    title: str
    computed_at: datetime | None
    results: list[RowOut]


class RankingOut(Schema):
    key: str
    title: str
    benchmark: str
    n_rows: int
    n_ranked: int
    computed_at: datetime | None


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


class RunOut(Schema):
    id: int
    model: str = Field(description="slug of the model")
    model_name: str
    bank: str
    benchmark: str
    ranking: str
    origin: str
    status: str
    partial: bool = Field(description="not every item was asked; such a run never ranks")
    parent: int | None = Field(description="the run that this one repeats")
    repeats: int
    n_items: int
    n_scored: int
    n_strict: int
    score: float | None
    strict_score: float | None
    standard_error: float | None
    repeat_scores: list[float | None]
    counted_part: str
    parse_share: float | None
    strict_share: float | None
    scorer_version: str
    published_score: float | None
    requests: int
    prompt_tokens: int
    completion_tokens: int
    wall_seconds: float
    fault_counts: dict[str, int]
    failure_kind: str
    failure_message: str
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
    """One part of one result. labels and reference are null where the bank's texts are not public."""

    item: str
    number: int
    repeat: int
    part: str
    counted: bool
    state: str
    reading: str
    labels: list[str] | None
    answer: list[float] | None
    reference: list[float] | None
    score: float | None
    strict_score: float | None
    reason: str
    flags: list[str]
    attempts: int
    latency_ms: int | None
    prompt_tokens: int | None
    completion_tokens: int | None


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
    loaded_at: datetime


class BankPage(Page):
    results: list[BankOut]
