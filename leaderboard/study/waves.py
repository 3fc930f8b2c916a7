"""The control of each wave beside the stored baseline, in sentences and a table. Pure."""

from dataclasses import dataclass

from evaluation.statistics.study_figures import Line
from leaderboard.rounding import number
from leaderboard.study.results import Result, Wave
from leaderboard.study.rows import signed, signed_percent
from leaderboard.study.wording import p_words


@dataclass(frozen=True, slots=True)
class WaveRow:
    label: str
    share: str
    gain: str
    points: str
    p_adjusted: str
    is_clear: bool


@dataclass(frozen=True, slots=True)
class WaveNote:
    """`warns` where the raters of the wave judge the baseline otherwise; `rows` then compare with the control."""

    number: int
    warns: bool
    sentence: str
    rows: tuple[WaveRow, ...]


def wave_notes(result: Result) -> tuple[WaveNote, ...]:
    return tuple(_note(result, wave) for wave in result.waves)


def _note(result: Result, wave: Wave) -> WaveNote:
    people = result.labels[result.statistics.reference]
    control = next(line for line in wave.statistics.scopes[0].lines if line.responder == wave.control)
    stored = result.statistics.scopes[0].lines[0]
    if wave.test is None or wave.test.p is None:
        why = wave.reason or (wave.test.reason if wave.test else "")
        return WaveNote(wave.number, False, f"The control of wave {wave.number} is not tested: {why}.", ())
    shares = f"{_share(control)} against {_share(stored)} Good, p {p_words(wave.test.p)}"
    if not wave.differs:
        sentence = (
            f"Raters of wave {wave.number} are not found to judge {people} otherwise than the stored ones: {shares}."
        )
        return WaveNote(wave.number, False, sentence, ())
    sentence = (
        f"Raters of wave {wave.number} judge {people} otherwise than the stored ones did: {shares}. "
        f"Compare the models of this wave with its own control, as here."
    )
    return WaveNote(wave.number, True, sentence, tuple(_rows(result, wave, control)))


def _rows(result: Result, wave: Wave, control: Line) -> list[WaveRow]:
    scope = wave.statistics.scopes[0]
    rows = [WaveRow(result.labels[control.responder], _share(control), "", "", "", False)]
    for line in scope.lines[1:]:
        pair = next(p for p in scope.pairs if (p.first, p.second) == (line.responder, wave.control))
        rows.append(
            WaveRow(
                label=result.labels[line.responder],
                share=_share(line),
                gain=signed_percent(line.gain),
                points=signed(line.points, 2),
                p_adjusted=p_words(pair.p_adjusted),
                is_clear=pair.differs,
            )
        )
    return rows


def _share(line: Line) -> str:
    return f"{number(100 * line.share, 2)} %"
