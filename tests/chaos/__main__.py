"""R1 to R15 with their figures in one table: `python -m tests.chaos [--long] [--seeds N] [--on NAME] [--only PART]`.

Each database has its part in a process of its own, since Django knows one database a process.
"""

import argparse
import importlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos.cluster import NO_CLUSTER, Cluster, cluster
from tests.chaos.figures import Figure

DATABASES = ("sqlite", "postgresql")
ELSEWHERE = "other-tests"
LINE = re.compile(r"(R\d+) .* (holds|MISSED)$")
Tally = Counter[tuple[str, str]]
Part = Callable[[], Iterator[Figure]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--long", action="store_true", help="20 kills a run, 26 acts a storm, over 20 seeds")
    parser.add_argument(
        "--seeds", type=int, default=0, help="how many seeds, the first is --seed; 1, or 20 with --long"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", choices=(*DATABASES, ELSEWHERE), help="one of these alone")
    parser.add_argument("--only", default="", help="parts whose name holds this")
    given = parser.parse_args()
    given.seeds = given.seeds or (20 if given.long else 1)
    return given


def parts(given: argparse.Namespace, own: Cluster | None) -> Iterator[tuple[str, Part]]:
    """By name, in the order of the table. Imported late: models need Django to be set up."""
    module = {name: importlib.import_module(f"tests.chaos.{name}") for name in MODULES}
    for seed in range(given.seed, given.seed + given.seeds):
        yield f"kills-{seed}", partial(module["kills"].killed_at_random, seed, 20 if given.long else 6)
    for seed in range(given.seed, given.seed + given.seeds):
        yield f"storm-{seed}", partial(module["storms"].storm, seed, 26 if given.long else 13, own, 150)
    for name in module["kills"].OTHERS:
        yield name, getattr(module["kills"], name)
    yield "frozen_in_a_transaction", module["frozen"].frozen_in_a_transaction
    for name in module["cases"].PARTS:
        yield name, getattr(module["cases"], name)
    for trouble in module["brokers"].TROUBLES:
        seconds = {"stopped": 30, "frozen": 10, "full": 10}.get(trouble, 0)
        yield f"redis-{trouble}", partial(module["brokers"].trouble_in_mid_run, trouble, seconds)
    for shape in module["lost_brokers"].SHAPES:
        yield f"lost-redis-{shape}", partial(module["lost_brokers"].lost_and_found, shape, given.long)
    yield "redis-again", module["brokers"].restarted_again_and_again
    yield "no-worker", module["brokers"].no_worker_at_all
    yield "form-down", partial(module["brokers"].form_without_a_broker, False)
    yield "form-frozen", partial(module["brokers"].form_without_a_broker, True)
    yield "waits", module["endpoints"].far_wait
    yield "chance", module["endpoints"].repeats_by_chance
    yield "writers", partial(module["writers"].many_writers, 10_000)
    yield "faults", module["endpoints"].fault_matrix
    yield "deadlines", module["endpoints"].deadlines
    yield "fairness", partial(module["proven"].proven, (module["proven"].FAIRNESS,))


MODULES = ("kills", "storms", "frozen", "cases", "brokers", "lost_brokers", "writers", "endpoints", "proven")


def inside(given: argparse.Namespace, own: Cluster | None) -> int:
    """All parts on the database of DATABASE_URL; returns how many lines missed."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    missed = 0
    for name, part in parts(given, own):
        if given.only in name:
            call_command("flush", interactive=False, verbosity=0)
            missed += run(name, part)
    return missed


def run(name: str, part: Part) -> int:
    """Prints the lines of a part as they come; what it gave up on is a line that missed."""
    say(f"--- {name}")
    began, missed = time.monotonic(), 0
    try:
        for figure in part():
            say(str(figure))
            missed += not (figure.skipped or figure.holds)
    except AssertionError as reason:
        say("\n".join([f"     GAVE UP: {reason}", *getattr(reason, "__notes__", ())]))
        missed += 1
    say(f"     ({time.monotonic() - began:.0f} s)")
    return missed


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def on_database(given: argparse.Namespace, database: str) -> int:
    with TemporaryDirectory(prefix="eq-chaos-db-") as name, _server(database) as own:
        if database == "postgresql" and own is None:
            say(f"=== postgresql skipped: {NO_CLUSTER}")
            return 0
        url = own.create("chaos") if own else f"sqlite:///{Path(name) / 'chaos.sqlite3'}"
        os.environ |= {
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DEBUG": "true",
            "SECRET_KEY": "chaos",
            "LOG_LEVEL": "CRITICAL",
        }
        say(f"=== {database}")
        return 1 if inside(given, own) else 0


def _server(database: str) -> "nullcontext[Cluster | None]":
    return cluster() if database == "postgresql" else nullcontext(None)  # type: ignore[return-value]


def everything(given: argparse.Namespace) -> int:
    """Each database in a process of its own, then what other tests prove, then how each rule stands."""
    words = [sys.executable, "-m", "tests.chaos", *sys.argv[1:]]
    tallies = {database: tallied([*words, "--on", database]) for database in DATABASES}
    tallies["other tests"] = tallied([*words, "--on", ELSEWHERE])
    for name, (tally, _) in tallies.items():
        say(f"=== {name}: how many figures of each rule hold, of how many")
        say("  ".join(f"{rule} {tally[rule, 'holds']}/{count}" for rule, count in counted(tally)) or "nothing measured")
    return 1 if any(code for _, code in tallies.values()) else 0


def tallied(words: list[str]) -> tuple[Tally, int]:
    """What a process prints, passed on line by line; its lines by rule and word, and its status."""
    tally: Tally = Counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stdout or ():
                say(line.rstrip("\n"))
                if found := LINE.match(line):
                    tally[found[1], found[2]] += 1
        finally:
            process.terminate()  # of no effect on one that has come to its end
    return tally, process.returncode


def counted(tally: Tally) -> list[tuple[str, int]]:
    """Each rule and how many figures it has, in the order of the rules."""
    totals: Counter[str] = Counter()
    for (rule, _), count in tally.items():
        totals[rule] += count
    return sorted(totals.items(), key=lambda each: int(each[0][1:]))


def others(given: argparse.Namespace) -> int:
    """What other tests prove, on a database of their own."""
    from tests.chaos import proven

    say("=== proven by other tests")
    rows = (*proven.QUICK, *proven.LONG) if given.long else proven.QUICK
    return run(ELSEWHERE, partial(proven.proven, rows)) if given.only in ELSEWHERE else 0


def stopped(*_: object) -> None:
    """SIGTERM: what was started is ended on the way out."""
    sys.exit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stopped)
    chosen = arguments()
    if chosen.on == ELSEWHERE:
        sys.exit(1 if others(chosen) else 0)
    sys.exit(on_database(chosen, chosen.on) if chosen.on else everything(chosen))
