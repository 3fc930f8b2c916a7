"""Statistics of a study survive being stored as JSON, with every digit."""

import json
from dataclasses import asdict

from evaluation.statistics.raters import raters_of
from evaluation.statistics.responders import study_statistics
from evaluation.statistics.study_figures import Cell
from leaderboard.study.stored import statistics_of


def test_what_is_read_back_is_what_was_stored() -> None:
    raters = raters_of([5, 6, 7, 2] * 15, [10] * 60)
    cells = {
        "all": [
            Cell("human", 600, 300, 100, 200, raters),
            Cell("a", 600, 350, 100, 150, raters_of([6, 7, 4, 5] * 15, [10] * 60)),
            Cell("b", 600, 340),
            Cell("few", 20, 3),
        ],
        "positive": [Cell("human", 40, 2, 1, 37), Cell("a", 40, 1, 0, 39)],
        "sad": [Cell("human", 60, 20), Cell("a", 60, 40)],
        "joyful": [Cell("a", 60, 40)],
    }
    study = study_statistics(cells, reference="human", n_raters={"b": 20}, draws=200)
    assert study.scopes[0].pairs[0].by_rater is not None
    assert statistics_of(json.loads(json.dumps(asdict(study), allow_nan=False))) == study
