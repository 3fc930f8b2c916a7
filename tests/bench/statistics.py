"""The statistics of a field of 2,000 models x 171 items, in CPU seconds: `python -m tests.bench.statistics`.

CPU and not the clock, since the bound is for one core. It takes a scratch database of its own.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from evaluation.statistics.ranks import resampled_ranks
from tests.bench.figure import Figure
from tests.processes import ROOT

RANKS, STANDINGS, WHOLE, ONE_RUN, NOTHING = 1.0, 4.0, 10.0, 2.0, 0.5
SCORE = 6.0


def statistics_figures(folder: Path) -> Iterator[Figure]:
    """The same in a process of its own, since Django is set up for one database."""
    url = f"sqlite:///{folder / 'statistics.sqlite3'}"
    own = {"DATABASE_URL": url, "DEBUG": "true", "SECRET_KEY": "bench", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **own}
    for words in (("migrate", "--verbosity", "0"), ("seed_scale", "--runs", "1")):
        subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True, capture_output=True
        )
    found = subprocess.run(
        [sys.executable, "-m", "tests.bench.statistics", "--here"],
        cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    ranks, standings, whole, one_run, nothing = map(float, found.stdout.split())
    yield Figure("ranks of 2,000 models x 171 items, 1,000 resamples, CPU", ranks, RANKS, "s", of_work=True)
    yield Figure("standings of 2,000 models x 171 items: one new run, CPU", standings, STANDINGS, "s", of_work=True)
    yield Figure("statistics of 2,000 models x 171 items: all, CPU", whole, WHOLE, "s", of_work=True)
    yield Figure("statistics of 2,000 models x 171 items: one new run, CPU", one_run, ONE_RUN, "s", of_work=True)
    yield Figure("statistics of 2,000 models x 171 items: no change, CPU", nothing, NOTHING, "s", of_work=True)


def measured() -> tuple[float, float, float, float, float]:
    """Seconds of CPU of the resampling, of the standings after one new run, and of the statistics: a whole refresh, one
    after one new run, and one without a change. Of what can be done again, the least of three."""
    import django

    django.setup()
    from leaderboard.garbage import look_rarely
    from leaderboard.pages.storing.statistics import keep_ready
    from leaderboard.statistics.refreshing import refresh_statistics

    look_rarely()  # as a worker does
    whole = cpu_seconds()
    refresh_statistics()
    keep_ready()
    whole = cpu_seconds() - whole
    tries = [after_one_new_run() for _ in range(3)]
    standings, one_run, nothing = (min(seconds) for seconds in zip(*tries, strict=True))
    return min(resampling() for _ in range(3)), standings, whole, one_run, nothing


def after_one_new_run() -> tuple[float, float, float]:
    """Seconds of CPU of the standings, of the statistics, and of these once more, when nothing has changed."""
    from leaderboard.pages.storing.statistics import keep_ready
    from leaderboard.standings import refresh_standings
    from leaderboard.statistics.refreshing import refresh_statistics

    run = new_run()
    began = cpu_seconds()
    refresh_standings(run)
    stood = cpu_seconds()
    refresh_statistics(run)
    keep_ready()
    refreshed = cpu_seconds()
    refresh_statistics(run)
    keep_ready()
    return stood - began, refreshed - stood, cpu_seconds() - refreshed


def resampling() -> float:
    scores = np.random.default_rng(171).normal(60, 22, (2_000, 171)) + np.linspace(-30, 30, 2_000)[:, None]
    began = cpu_seconds()
    resampled_ranks(scores)
    return cpu_seconds() - began


def cpu_seconds() -> float:
    return time.process_time()


def new_run() -> int:
    """One more run of a model in the middle of the field."""
    from evaluation.models import ItemBank, ItemResult, LanguageModel, Status
    from tests.factories import make_run

    bank = ItemBank.objects.get(slug="scale")
    middle = LanguageModel.objects.order_by("pk")[LanguageModel.objects.count() // 2]
    run = make_run(bank=bank, model=middle, status=Status.FINISHED, score=60.0)
    ItemResult.objects.bulk_create(
        ItemResult(run=run, item=item, state="read", reading="official", answer=item.reference, score=SCORE)
        for item in bank.items.all()
    )
    return int(run.pk)


def main() -> int:
    if "--here" in sys.argv:
        sys.stdout.write(" ".join(f"{seconds:.3f}" for seconds in measured()))
        return 0
    with TemporaryDirectory() as name:
        found = list(statistics_figures(Path(name)))
    sys.stdout.writelines(f"{figure}\n" for figure in found)
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    sys.exit(main())
