"""Files of ratings or counts into a study: all of a file or nothing, and the same file twice changes nothing.

Nothing of a rater but a hash is stored, and no text of a wide file.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from evaluation.importers.study_files import Coding, Known, Rated, StudyFile, StudyFileError, read_study
from evaluation.statistics.study_figures import ALL
from leaderboard.study.building import lock_study
from leaderboard.study.identity import rater_hash
from leaderboard.study.models import AggregateCount, Group, Participation, Rating, Responder, Response, Study
from leaderboard.study.result_models import StudyImport
from leaderboard.study.states import Basis, GroupState, Level, ParticipationSource, ParticipationState

NAME_LENGTH = 200
AT_ONCE = 1000
_STATED = frozenset({Basis.COUNTED.value, Basis.RECOVERED.value, Basis.IMPORTED.value})


@dataclass(frozen=True, slots=True)
class ImportLine:
    """What the file has of one responder over all prompts. `raters` is None where nobody knows who rated."""

    responder: str
    ratings: int
    bad: int | None
    okay: int | None
    good: int
    raters: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """What a file does. `was_before` says that it was imported already, so that nothing changes."""

    kind: str
    rows: int
    lines: tuple[ImportLine, ...]
    skipped: tuple[str, ...]
    was_before: bool


def import_file(
    study: Study, name: str, content: bytes, *, coding: Coding = "words", wave: int = 1, dry_run: bool = False
) -> Report:
    """Imports a file into a study, or says what that would do.

    Args:
        name: What faults call the file.
        content: CSV as `study_files` reads it.
        coding: How the file writes Bad, Okay and Good.
        wave: The wave of the ratings, unless the file has a column for it: one closed group a responder and wave.
        dry_run: Whether nothing is written.

    Raises:
        StudyFileError: any fault, with file, line, field and a way out. Nothing was written.
    """
    version = sha256(content).hexdigest()
    found = read_study(
        name,
        content,
        coding=coding,
        ratings_per_reply=study.ratings_per_reply,
        items_per_rater=study.items_per_rater,
        known=_known(study),
    )
    was_before = not _write(study, found, name, version, wave, dry_run=dry_run)
    return Report(found.kind, found.rows, _lines(found), tuple(found.skipped), was_before)


def _known(study: Study) -> Known:
    items = study.items.values_list("prompt__item_id", "prompt__emotion")
    return Known(dict(items), list(study.responders.values_list("key", flat=True)))


def _lines(found: StudyFile) -> tuple[ImportLine, ...]:
    cells = found.cells.get(ALL) or next(iter(found.cells.values()))
    nobody_knows = {rating.responder for rating in found.ratings if not rating.rater}
    return tuple(
        ImportLine(
            responder=cell.responder,
            ratings=cell.n,
            bad=cell.bad,
            okay=cell.okay,
            good=cell.good,
            raters=cell.raters.n.size
            if cell.raters and cell.responder not in nobody_knows
            else found.n_raters.get(cell.responder),
        )
        for cell in cells
    )


@transaction.atomic
def _write(study: Study, found: StudyFile, name: str, version: str, wave: int, *, dry_run: bool) -> bool:
    """False where the file was imported before.

    A dry run writes as well and takes it back, so that it finds every fault that the import would.
    """
    lock_study(study)
    if study.imports.filter(sha256=version).exists():
        return False
    StudyImport.objects.create(
        study=study, sha256=version, file_name=name[:NAME_LENGTH], kind=found.kind, rows=found.rows
    )
    responders = {responder.key: responder for responder in study.responders.all()}
    if found.kind == "counts":
        _write_counts(study, found, name, responders)
    else:
        _write_ratings(study, found, name, responders, wave)
    if dry_run:
        transaction.set_rollback(True)
    return True


def _write_counts(study: Study, found: StudyFile, name: str, responders: dict[str, Responder]) -> None:
    stored = set(study.counts.values_list("scope", "responder__key"))
    faults = [
        f"{name}, line {line}, scope: {scope} of {responder} is stored already. Fix: take the line out."
        for (scope, responder), line in found.lines.items()
        if (scope, responder) in stored
    ]
    _refuse(faults)
    AggregateCount.objects.bulk_create(
        AggregateCount(
            study=study,
            responder=responders[cell.responder],
            scope=scope,
            basis=cell.basis if cell.basis in _STATED else Basis.IMPORTED,
            bad=cell.bad,
            okay=cell.okay,
            good=cell.good,
            n=cell.n,
            n_raters=found.n_raters.get(cell.responder),
            source=name[:NAME_LENGTH],
        )
        for scope, cells in found.cells.items()
        for cell in cells
    )


def _refuse(faults: Sequence[str]) -> None:
    if faults:
        raise StudyFileError(
            "\n".join([*faults[:20], *([f"and {len(faults) - 20} further faults"] * (len(faults) > 20))])
        )


def _write_ratings(study: Study, found: StudyFile, name: str, responders: dict[str, Responder], wave: int) -> None:
    rated_by_group: dict[tuple[str, int], list[Rated]] = defaultdict(list)
    for rating in found.ratings:
        rated_by_group[(rating.responder, rating.wave or wave)].append(rating)
    _refuse(_clashes(study, rated_by_group, name) + _rater_clashes(study, found, name))
    responses = _responses(study, found, responders)
    for (key, number), rated in rated_by_group.items():
        group = _group(study, responders[key], number, rated)
        for participants in _by_rater(rated):
            _write_participation(study, group, participants, responses)


def _clashes(study: Study, rated_by_group: Mapping[tuple[str, int], Sequence[Rated]], name: str) -> list[str]:
    """Groups that are stored already."""
    there = set(study.groups.values_list("responder__key", "wave"))
    return [
        f"{name}, line {rated[0].line}, responder: {key} has a group of wave {wave} already. "
        "Fix: take these ratings out, or import them as another wave."
        for (key, wave), rated in rated_by_group.items()
        if (key, wave) in there
    ]


def _rater_clashes(study: Study, found: StudyFile, name: str) -> list[str]:
    """Raters who took part before. Case, blanks and dashes of a code do not count, so two codes may be one person."""
    lines = {rating.rater: rating.line for rating in reversed(found.ratings) if rating.rater}
    known = set(study.participations.exclude(rater_hash=None).values_list("rater_hash", flat=True))
    seen: dict[str, int] = {}
    faults = []
    for rater, line in sorted(lines.items(), key=lambda pair: pair[1]):
        hashed = rater_hash(study, rater)
        place = f"{name}, line {line}, rater"
        if not hashed:
            faults.append(f"{place}: has neither letters nor digits. Fix: give this person a code.")
        elif hashed in known:
            faults.append(f"{place}: took part in this study before. Fix: take out the ratings of this person.")
        elif hashed in seen:
            faults.append(
                f"{place}: is the code of line {seen[hashed]} but for case or dashes. Fix: change one of them."
            )
        seen.setdefault(hashed, line)
    return faults


def _responses(study: Study, found: StudyFile, responders: dict[str, Responder]) -> dict[tuple[str, str], Response]:
    """The reply of each responder and item. One whose text is not stored gets a row without a text."""
    items = {item.prompt.item_id: item for item in study.items.select_related("prompt")}
    wanted = {(rating.responder, rating.item) for rating in found.ratings}
    stored = study_replies(study)
    Response.objects.bulk_create(
        [Response(responder=responders[key], item=items[item]) for key, item in sorted(wanted - stored.keys())],
        batch_size=AT_ONCE,
    )
    return study_replies(study)


def study_replies(study: Study) -> dict[tuple[str, str], Response]:
    """Responder's key and item's id -> the reply."""
    found = Response.objects.filter(responder__study=study).select_related("responder", "item__prompt")
    return {(each.responder.key, each.item.prompt.item_id): each for each in found}


def _group(study: Study, responder: Responder, wave: int, rated: Sequence[Rated]) -> Group:
    now = timezone.now()
    times = [rating.at for rating in rated if rating.at]
    return Group.objects.create(
        study=study,
        responder=responder,
        wave=wave,
        target=max(1, len({rating.rater for rating in rated if rating.rater})),
        state=GroupState.CLOSED,
        opened_at=min(times, default=now),
        closed_at=max(times, default=now),
    )


def _by_rater(rated: Sequence[Rated]) -> list[list[Rated]]:
    """The ratings of each rater. Where raters are not known, those of one reading of the replies after the other."""
    known: dict[str, list[Rated]] = defaultdict(list)
    unknown: dict[int, list[Rated]] = defaultdict(list)
    times: Counter[str] = Counter()
    for rating in rated:
        if rating.rater:
            known[rating.rater].append(rating)
        else:
            unknown[times[rating.item]].append(rating)
            times[rating.item] += 1
    return [*known.values(), *unknown.values()]


def _write_participation(
    study: Study, group: Group, rated: Sequence[Rated], responses: dict[tuple[str, str], Response]
) -> None:
    times = [rating.at for rating in rated if rating.at]
    participation = Participation.objects.create(
        study=study,
        group=group,
        source=ParticipationSource.IMPORTED,
        rater_hash=rater_hash(study, rated[0].rater) if rated[0].rater else None,
        state=ParticipationState.DONE,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
    )
    Rating.objects.bulk_create(
        [
            Rating(
                participation=participation,
                response=responses[(rating.responder, rating.item)],
                value=Level.BAD + rating.level,
                seconds=rating.seconds,
                rated_at=rating.at,
            )
            for rating in rated
        ],
        batch_size=AT_ONCE,
    )
