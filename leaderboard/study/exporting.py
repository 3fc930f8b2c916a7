"""The ratings of a study as files, with a new random code for each rater in each export.

An export holds no hash, no completion code, no background, no text of a prompt or reply, and no time finer than the
day. Lines are in the order of the random codes, so that their order says nothing either. Only participations that were
sent are in it: not expired ones, and nothing of who withdrew.
"""

import io
import json
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from zipfile import ZIP_DEFLATED, ZipFile

from evaluation.command_line import command_line
from evaluation.signs import escaped
from leaderboard.backups.writing import snapshot
from leaderboard.cells import Cell, csv_text
from leaderboard.study.flags import is_excluded
from leaderboard.study.models import Participation, Rating, Study
from leaderboard.study.questionnaire import score
from leaderboard.study.states import GroupState, Level, ParticipationState

# As `manage.py study_statistics` and the importer read it.
RATING_COLUMNS = ("item_id", "responder", "rater", "value", "emotion", "seconds", "created_at", "wave")
RATER_COLUMNS = (
    "rater", "responder", "wave", "day", "minutes", "attention_passed", "flags", "excluded_by_rule",
    "questionnaire_total", "consent_version",
)  # fmt: skip
README = """Ratings of the study "{title}".

ratings.csv   one line per rating; its statistics, with all waves pooled, come from
              {statistics}{options}
raters.csv    one line per rater
study.json    how the study was set up

The codes of raters are random and new in each export: they lead to nobody, and two exports cannot be joined by them.
Whoever withdrew is not in the files. Delete older exports when a newer one has fewer raters.
"""


def export(study: Study, *, closed_only: bool = False) -> bytes:
    """A zip file with ratings.csv, raters.csv, study.json and README.txt.

    Args:
        closed_only: Whether groups that are not closed are left out, whose shares nobody should see yet.
    """
    with snapshot():
        done = list(_done(study, closed_only=closed_only))
        codes = {participation.pk: secrets.token_hex(8) for participation in done}
        ratings = sorted(_ratings(study, codes), key=lambda row: (str(row[2]), str(row[0])))
        raters = sorted(_raters(study, done, codes), key=lambda row: str(row[0]))
        about = _about(study)
    files = {
        "ratings.csv": csv_text(RATING_COLUMNS, ratings),
        "raters.csv": csv_text(RATER_COLUMNS, raters),
        "study.json": escaped(json.dumps(about, ensure_ascii=False, indent=1)),
        "README.txt": README.format(
            title=study.title,
            statistics=command_line("study_statistics", "ratings.csv"),
            options=_options(study, ratings),
        ),
    }
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def _options(study: Study, ratings: Sequence[Sequence[Cell]]) -> str:
    """What the command needs to be told of these ratings; "" for nothing."""
    baseline = study.responders.filter(is_baseline=True).first()
    most = max(Counter((item, responder) for item, responder, *_ in ratings).values(), default=1)
    reference = f" --reference {baseline.key}" if baseline and baseline.key != "human" else ""
    return reference + (f" --ratings-per-reply {most}" if most > 1 else "")


def _done(study: Study, *, closed_only: bool) -> Iterator[Participation]:
    found = Participation.objects.filter(study=study, state=ParticipationState.DONE)
    if closed_only:
        found = found.filter(group__state=GroupState.CLOSED)
    yield from found.select_related("group__responder", "consent_form")


def _ratings(study: Study, codes: dict[int, str]) -> Iterator[list[Cell]]:
    """An imported rating whose rater is not known has no code."""
    rows = Rating.objects.filter(participation__study=study, participation__state=ParticipationState.DONE).values_list(
        "participation_id", "participation__rater_hash", "response__item__prompt__item_id", "response__responder__key",
        "value", "response__item__prompt__emotion", "seconds", "participation__consent_at",
        "participation__group__wave",
    )  # fmt: skip
    for participation, rater, item, responder, value, emotion, seconds, day, wave in rows.iterator():
        if participation not in codes:
            continue
        code = codes[participation] if rater else ""
        yield [item, responder, code, Level(value).label, emotion, _tenths(seconds), _day(day), wave]


def _raters(study: Study, done: list[Participation], codes: dict[int, str]) -> Iterator[list[Cell]]:
    for mine in done:
        if not mine.rater_hash:
            continue
        yield [
            codes[mine.pk], mine.group.responder.key, mine.group.wave, _day(mine.consent_at), _minutes(mine),
            None if mine.attention_at is None else mine.attention_value == mine.attention_wants, " ".join(mine.flags),
            is_excluded(mine.flags, study.exclusion_rule), score(mine.questionnaire or ()),
            mine.consent_form.version if mine.consent_form else None,
        ]  # fmt: skip


def _minutes(mine: Participation) -> float | None:
    if mine.started_at is None or mine.ended_at is None:
        return None
    return _tenths((mine.ended_at - mine.started_at).total_seconds() / 60)


def _tenths(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


def _about(study: Study) -> dict[str, object]:
    groups = study.groups.select_related("responder")
    return {
        "slug": study.slug,
        "title": study.title,
        "prompts": {
            "title": study.prompt_set.title,
            "version": study.prompt_set.version,
            "sha256": study.prompt_set.sha256,
        },
        "items_per_rater": study.items_per_rater,
        "ratings_per_reply": study.ratings_per_reply,
        "screens_version": study.screens_version,
        "ethics_reference": study.ethics_reference,
        "exclusion_rule": study.exclusion_rule,
        "groups": [
            {
                "responder": group.responder.key,
                "replies_sha256": group.responder.frozen_sha256,
                "wave": group.wave,
                "target": group.target,
                "state": group.state,
                "expired": group.participations.filter(state=ParticipationState.EXPIRED).count(),
                "withdrawn": group.participations.filter(state=ParticipationState.WITHDRAWN).count(),
            }
            for group in groups
        ],
    }
