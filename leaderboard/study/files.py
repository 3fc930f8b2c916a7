"""The figures of a study as files: JSON with all of it, CSV with one line a responder and scope. No texts, no codes."""

import json
from collections.abc import Iterator
from typing import Any

from evaluation.signs import escaped
from evaluation.statistics.raters import DRAWS
from evaluation.study_report import study_object
from leaderboard.cells import Cell, csv_text
from leaderboard.study.page import Material
from leaderboard.study.results import SEED, Result

COLUMNS = (
    "scope", "responder", "basis", "n", "bad", "okay", "good", "share", "interval_low", "interval_high",
    "interval_method", "gain_percent", "points", "chi_square_yates", "chi_square_plain", "method", "p", "p_adjusted",
    "cramers_v", "cohens_h", "p_by_rater", "letters",
)  # fmt: skip


def as_json(material: Material) -> str:
    content = study_object(material.result.statistics, draws=DRAWS, seed=SEED, **_about(material))
    return escaped(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1))


def _about(material: Material) -> dict[str, Any]:
    waves = [
        {"wave": wave.number, "control": wave.control, "p": wave.test.p if wave.test else None, "differs": wave.differs}
        for wave in material.result.waves
    ]
    return {
        "slug": material.slug,
        "title": material.title,
        "source": material.citation,
        "computed_on": material.computed_on,
        "exclusion_rule": material.rule,
        "rule_applied": material.with_rule,
        "labels": dict(material.result.labels),
        "waves": waves,
    }


def as_csv(material: Material) -> str:
    return csv_text(COLUMNS, _rows(material.result))


def _rows(result: Result) -> Iterator[list[Cell]]:
    study = result.statistics
    parts = [(scope.name, scope.lines, scope.pairs) for scope in study.scopes]
    parts += [(emotion.name, emotion.lines, emotion.against_reference) for emotion in study.emotions]
    for name, lines, pairs in parts:
        against = {pair.first: pair for pair in pairs if pair.second == study.reference}
        for line in lines:
            pair = against.get(line.responder)
            test = pair.good if pair else None
            by_rater = pair.by_rater.welch if pair and pair.by_rater else None
            yield [
                name, line.responder, line.basis, line.n, line.bad, line.okay, line.good, line.share,
                line.interval.low, line.interval.high, line.interval_method, line.gain, line.points,
                test.chi_square_yates if test else None, test.chi_square if test else None,
                test.method if test else None, pair.p if pair else None, pair.p_adjusted if pair else None,
                test.v if test else None, pair.h if pair else None, by_rater.p if by_rater else None,
                " ".join(line.letters),
            ]  # fmt: skip
