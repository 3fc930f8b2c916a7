"""The statistics of a study as tables for a terminal, and as one object for JSON. Pure."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluation.statistics.contingency import TableTest
from evaluation.statistics.normal import Interval
from evaluation.statistics.study_figures import (
    LEAST_RATERS,
    LEAST_RATINGS,
    LEVEL,
    Emotion,
    Family,
    Group,
    Line,
    Omnibus,
    Pair,
    Scope,
    Study,
)

UNKNOWN = "-"
_SMALLEST_P = 1e-300  # below it a p value has lost its digits
_TITLES = {"all": "All prompts", "positive": "Positive prompts", "negative": "Negative prompts"}
_FAMILIES: dict[Family, str] = {"ranking": "Holm", "preliminary": "Holm, preliminary groups apart"}


def study_object(study: Study, *, draws: int, seed: int, **about: object) -> dict[str, Any]:
    """All results with all digits, None for what is not known; `about` says what they were computed from."""
    settings = {
        "level": LEVEL,
        "least_ratings": LEAST_RATINGS,
        "least_raters": LEAST_RATERS,
        "draws": draws,
        "seed": seed,
    }
    return {**about, "settings": settings, **asdict(study)}


def study_text(study: Study, *, title: str) -> str:
    """The whole report: groups of raters, each scope with its pairs, the emotions, and what the columns mean."""
    parts = [title, *_groups(study.groups)]
    for scope in study.scopes:
        parts += _scope(scope, study.reference)
    parts += _emotions(study)
    return "\n".join([*parts, *_notes(study)])


def _table(rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Columns of equal width; the first `texts` to the left, figures to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if at < texts else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _groups(groups: Sequence[Group]) -> list[str]:
    rows = [["responder", "raters", "ICC", "design effect", ""]]
    for group in groups:
        note = f"preliminary: fewer than {LEAST_RATERS} raters" if group.is_preliminary else ""
        raters = UNKNOWN if group.n_raters is None else str(group.n_raters)
        rows.append([group.responder, raters, _number(group.icc, 3), _number(group.design_effect, 2), note])
    return ["", "Raters", *_table(rows, 1)]


def _scope(scope: Scope, reference: str) -> list[str]:
    heads = ["responder", "letters", "basis", "rank", "n", "Bad", "Okay", "Good", "Good %", "95% interval", "gain %"]
    rows = [[*heads, "points"], *(_line(line) for line in scope.lines)]
    return [
        "",
        f"{_TITLES[scope.name]}: share of Good, against {reference}",
        *_table(rows, 3),
        _omnibus(scope.omnibus),
        "",
        f"{_TITLES[scope.name]}: pairs, Good against the rest",
        *_pairs(scope.pairs),
    ]


def _line(line: Line) -> list[str]:
    return [
        line.responder,
        " ".join(line.letters) or UNKNOWN,
        line.basis or UNKNOWN,
        _whole(line.rank),
        str(line.n),
        _whole(line.bad),
        _whole(line.okay),
        str(line.good),
        _share(line),
        _interval(line.interval),
        _signed(line.gain),
        _signed(line.points),
    ]


def _omnibus(omnibus: Omnibus) -> str:
    if omnibus.test is None:
        return f"All at once: no test, {omnibus.reason}."
    left_out = f"; left out for few ratings: {', '.join(omnibus.left_out)}" if omnibus.left_out else ""
    return f"All at once ({omnibus.levels}): {_test(omnibus.test)}{left_out}."


def _test(test: TableTest) -> str:
    if test.p is None:
        return f"no p value, {test.reason}"
    figures = f"V {_number(test.v, 3)}" + (f" ({test.v_words})" if test.v_words else "")
    if test.method == "Fisher's exact test":
        return f"{test.method}, p {_p(test.p)}, {figures}"
    shown = test.chi_square if test.chi_square_yates is None else test.chi_square_yates
    return f"{test.method} {_number(shown, 2)}, df {test.df}, p {_p(test.p)}, {figures}"


def _pairs(pairs: Sequence[Pair]) -> list[str]:
    if not pairs:
        return ["No pairs: there is one responder."]
    rows = [
        ["pair", "test", "points", "chi2", "p", "adjusted p", "", "V", "h", "p Welch", "p permutation", "3 levels p"]
    ]
    rows += [_pair(pair) for pair in pairs]
    return _table(rows, 2)


def _pair(pair: Pair) -> list[str]:
    test, three, by_rater = pair.good, pair.three_levels, pair.by_rater
    return [
        f"{pair.first} - {pair.second}" + (" (preliminary)" if pair.family == "preliminary" else ""),
        _method(pair),
        _signed(pair.points),
        _number(None if test is None else test.chi_square_yates, 2),
        _p(pair.p),
        _p(pair.p_adjusted),
        pair.stars,
        f"{test.v:.3f} {test.v_words}" if test and test.v is not None else UNKNOWN,
        f"{pair.h:+.3f} {pair.h_words}",
        _p(by_rater.welch.p if by_rater and by_rater.welch else None),
        _p(by_rater.permutation_p if by_rater else None),
        _p(three.p if three else None),
    ]


def _method(pair: Pair) -> str:
    if pair.good is None or pair.p is None:
        return f"none: {pair.reason}"
    return "Fisher" if pair.good.method == "Fisher's exact test" else "Yates"


def _emotions(study: Study) -> list[str]:
    if not study.emotions:
        return []
    rows = [["emotion", "valence", "responder", "test", "n", "Good %", "95% interval", "gain %", "p", "adjusted p", ""]]
    for emotion in study.emotions:
        rows += _emotion_rows(emotion)
    return ["", f"Emotions, each responder against {study.reference}", *_table(rows, 4)]


def _emotion_rows(emotion: Emotion) -> list[list[str]]:
    pairs = {pair.first: pair for pair in emotion.against_reference}
    return [_emotion_row(emotion, line, pairs.get(line.responder)) for line in emotion.lines]


def _emotion_row(emotion: Emotion, line: Line, pair: Pair | None) -> list[str]:
    return [
        emotion.name,
        emotion.valence,
        line.responder,
        UNKNOWN if pair is None else _method(pair),
        str(line.n),
        _share(line),
        _interval(line.interval),
        _signed(line.gain),
        _p(pair.p if pair else None),
        _p(pair.p_adjusted if pair else None),
        pair.stars if pair else "",
    ]


def _notes(study: Study) -> list[str]:
    lines = [line for scope in study.scopes for line in scope.lines]
    by_rater = any(line.interval_method == "bootstrap over raters" for line in lines)
    families = {pair.family: _FAMILIES[pair.family] for scope in study.scopes for pair in scope.pairs}
    corrections = "; ".join(
        [
            *(f"{name}, over the pairs of one scope" for name in families.values()),
            "Benjamini-Hochberg, over the emotions",
        ]
    )
    notes = [
        "Gain: by how many per cent the share of Good lies above that of "
        + study.reference
        + ". Points: the difference.",
        "Interval: drawn over whole raters where they are known and differ, else Wilson's."
        if by_rater
        else "Interval: Wilson's. By rater: not available, since raters are not known or do not differ.",
        "Test: chi-square with Yates' correction, or Fisher's exact test where an expected count is below 5.",
        f"Adjusted p: {corrections}.",
        f"Stars and letters follow the adjusted p ({LEVEL:g}); responders that share a letter do not differ.",
        f"Below {LEAST_RATINGS} ratings a share is marked (few) and has no test.",
        f"Below {LEAST_RATERS} raters a group is preliminary and has no rank and no letters.",
    ]
    if study.without_reference:
        notes.append(f"Not compared, for want of ratings of {study.reference}: {', '.join(study.without_reference)}.")
    return ["", *notes]


def _share(line: Line) -> str:
    return f"{100 * line.share:.2f}" + (" (few)" if line.has_too_little else "")


def _interval(interval: Interval) -> str:
    return f"{100 * interval.low:.2f} to {100 * interval.high:.2f}"


def _whole(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _number(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _signed(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:+.2f}"


def _p(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    if value < _SMALLEST_P:
        return f"<{_SMALLEST_P:g}"
    return f"{value:.4f}" if value >= 0.001 else f"{value:.1e}"
