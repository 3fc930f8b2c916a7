"""Attacks on the references of a private bank, by whoever serves endpoints and reads what is public.

The attackers know the rule of scoring, the dialogues and all answers, since these are their own. An item counts as
recovered where one of all 14,641 possible references is left. Each attack does what a board without these bounds
would pay for: shown item by item or with exact scores it recovers items.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Options, Reply
from evaluation.benchmarks.eqbench_curve import ADJUSTMENT
from evaluation.models import Driver, Item, ItemBank, ItemResult, Run, Status
from evaluation.runs.opening import RunRequest, open_run
from evaluation.runs.summaries import as_item, result_fields, summarise_run, summary_fields
from leaderboard.standings import refresh_standings
from tests.evaluation.benchmarks.by_item import read_by

pytestmark = [pytest.mark.django_db, pytest.mark.database]

RULE = BENCHMARKS["eq-bench-v2"]
LABELS = ("Quibblish", "Womblesome", "Zorbled", "Fleenish")
N_ITEMS = 60
MOST_TRIED = 8  # runs that an attacker asks for; it gets as many as it is allowed
MODEL = "maker/model"
SLUG = "maker-model"
EXACT = 1e-7
CANDIDATES = np.array(list(product(range(11), repeat=4)), dtype=float)

Values = tuple[float, ...]
Plan = Callable[[int, int, int], Values | None]
"""Run, repeat and item, each counted from 1, to the ratings that are given; None writes what nobody can read."""


@pytest.fixture
def bank(tmp_path: Path) -> ItemBank:
    chance = np.random.default_rng(5)
    path = tmp_path / "own.json"
    path.write_text(json.dumps({str(number): question(number, chance) for number in range(1, N_ITEMS + 1)}))
    call_command("load_bank", "eq-bench-v2", "--private", str(path), "--slug", "office", verbosity=0)
    return ItemBank.objects.get(slug="office")


def question(number: int, chance: np.random.Generator) -> dict[str, Any]:
    reference: dict[str, Any] = {f"emotion{at}": label for at, label in enumerate(LABELS, 1)}
    reference |= {f"emotion{at}_score": int(value) for at, value in enumerate(chance.integers(1, 11, 4), 1)}
    lines = "\n".join(f"{label}: <score>" for label in LABELS)
    prompt = f"\nScene {number}\n[End dialogue]\n\nFirst pass scores:\n{lines}\n"
    return {"prompt": prompt, "reference_answer_fullscale": reference}


def points(values: Values) -> Any:
    """The item points of an answer for every candidate, as the README of EQ-Bench says."""
    differences = np.abs(CANDIDATES - np.array(values))
    curve = 6.5 / (1 + np.exp(-1.2 * (differences - 4)))
    penalties = np.where(differences == 0, 0.0, np.where(differences >= 5, differences, curve))
    return 10 - ADJUSTMENT * penalties.sum(axis=1)


def generic(at: int) -> Values:
    """Ratings in the form with decimals, whose points are another number for nearly every reference."""
    chance = np.random.default_rng(1000 + at)
    return tuple(float(value) for value in np.round(chance.uniform(0.1, 9.9, 4), 2))


def written(values: Values | None) -> str:
    """Whole numbers in the official form; others behind a dash, which the tolerant reading takes with decimals."""
    if values is None:
        return "I would rather not say."
    sign = ":" if all(value == int(value) for value in values) else " -"
    return "\n".join(f"{label}{sign} {value:g}" for label, value in zip(LABELS, values, strict=True))


def begun(bank: ItemBank, *, repeats: int = 1) -> Run | None:
    """A run of the attacker's endpoint; None where it gets no further one."""
    request = RunRequest(
        model=MODEL, base_url="http://127.0.0.1:8080/v1", api_model="model", benchmark=RULE, bank=bank,
        repeats=repeats, limit=None, concurrency=8, max_tokens=60, timeout_seconds=60, driver=Driver.COMMAND,
        published=True,
    )  # fmt: skip
    try:
        return open_run(request)[0]
    except ValueError:
        return None


def answered(run: Run, item: Item, repeat: int, values: Values | None) -> None:
    scene = as_item(item)
    fields: Any = result_fields(read_by(RULE, scene, Reply(written(values)), Options()), RULE, scene)
    ItemResult.objects.create(run=run, item=item, repeat=repeat, attempts=1, **fields)


def ended(run: Run) -> None:
    fields: Any = summary_fields(summarise_run(run), RULE)
    Run.objects.filter(pk=run.pk).update(status=Status.FINISHED, finished_at=timezone.now(), **fields)
    refresh_standings(run.pk)


def runs_by(bank: ItemBank, plan: Plan, *, repeats: int = 1) -> Iterator[Run]:
    """As many runs as the attacker gets, answered by its plan, one after the other."""
    items = list(bank.items.order_by("number"))
    for at in range(1, MOST_TRIED + 1):
        run = begun(bank, repeats=repeats)
        if run is None:
            return
        for repeat in range(1, repeats + 1):
            for item in items:
                answered(run, item, repeat, plan(at, repeat, item.number))
        ended(run)
        yield run


class Equation(NamedTuple):
    """Of one item: points for each candidate, what was seen, and how far that may be off."""

    number: int
    expected: Any
    seen: float
    off: float


def recovered(equations: Sequence[Equation]) -> int:
    """How many items have one candidate left."""
    left: dict[int, Any] = {}
    for each in equations:
        fits = np.abs(each.expected - each.seen) <= each.off
        left[each.number] = left.get(each.number, True) & fits
    return sum(int(np.sum(fits)) == 1 for fits in left.values())


def fetched(client: Client, path: str) -> Any:
    response = client.get(path)
    return response.json() if response.status_code == 200 else None


@dataclass(frozen=True)
class Shown:
    """What the board gives of one run of the attacker: its total, the same by the strict reading, those of repeats.

    `off` is how far a total may be off; strict and repeats are None where they are not shown.
    """

    total: float
    off: float
    strict: float | None = None
    repeats: Sequence[float] | None = None


def shown_runs(client: Client, bank: ItemBank, plan: Plan, *, repeats: int = 1) -> list[Shown]:
    """Run after run: from the run itself, else from the row of the model, which is the mean of its runs so far."""
    found: list[Shown] = []
    rows: list[float] = []
    for run in runs_by(bank, plan, repeats=repeats):
        own = fetched(client, f"/api/v1/runs/{run.pk}")
        if own is not None:
            found.append(Shown(own["score"], EXACT, own["strict_score"], own["repeat_scores"]))
            continue
        rows.append(row_of(client))
        n = len(rows)
        before = (n - 1) * rows[-2] if n > 1 else 0.0
        found.append(Shown(n * rows[-1] - before, 0.5 * (2 * n - 1)))
    return found


def row_of(client: Client) -> float:
    places = fetched(client, f"/api/v1/models/{SLUG}")["places"]
    return float(next(place["score"] for place in places if place["ranking"] == "office"))


def per_item(total: float, n: int = N_ITEMS) -> float:
    """A run's total as a sum of item points."""
    return total * n / 10


CONSTANT: Values = (5, 5, 5, 5)
ABOVE: Values = (100, 100, 100, 100)


def one_changed(base: Values) -> Plan:
    """The first run answers all items alike, each later one says something else about one item."""
    return lambda run, repeat, number: generic(number) if number == run - 1 else base


def by_changes(client: Client, bank: ItemBank, base: Values) -> list[Equation]:
    first, *others = shown_runs(client, bank, one_changed(base))
    return [
        Equation(
            number,
            points(generic(number)) - points(base),
            per_item(each.total - first.total),
            per_item(each.off + first.off),
        )
        for number, each in enumerate(others, 1)
    ]


def by_strict_less_standard(client: Client, bank: ItemBank) -> list[Equation]:
    """One item a run in a form that only the tolerant reading takes. Without a strict score nothing is learnt."""
    runs = shown_runs(client, bank, lambda run, repeat, number: generic(number) if number == run else CONSTANT)
    return [
        Equation(number, points(generic(number)), per_item(each.total) - per_item(each.strict, N_ITEMS - 1), 1e-5)
        for number, each in enumerate(runs, 1)
        if each.strict is not None
    ]


def by_unread(client: Client, bank: ItemBank) -> list[Equation]:
    """The first run answers all, each later one leaves one item out: the mean moves to the others."""
    plan: Plan = lambda run, repeat, number: None if number == run - 1 else generic(number)  # noqa: E731
    first, *others = shown_runs(client, bank, plan)
    return [
        Equation(
            number,
            points(generic(number)),
            per_item(first.total) - per_item(each.total, N_ITEMS - 1),
            per_item(each.off + first.off),
        )
        for number, each in enumerate(others, 1)
    ]


REPEATS = 5


def by_repeats(client: Client, bank: ItemBank) -> list[Equation]:
    """One item changed a repeat. Without the repeats' scores the changes are seen in the total together, so that the
    item which weighs most is told as if it were alone."""
    plan: Plan = lambda run, repeat, number: (  # noqa: E731
        generic(number) if number == (run - 1) * (REPEATS - 1) + repeat - 1 and repeat > 1 else CONSTANT
    )
    equations = []
    for at, run in enumerate(shown_runs(client, bank, plan, repeats=REPEATS)):
        for repeat in range(2, REPEATS + 1) if run.repeats else ():
            number = at * (REPEATS - 1) + repeat - 1
            seen = per_item(run.repeats[repeat - 1] - run.repeats[0])  # type: ignore[index]
            equations.append(Equation(number, points(generic(number)) - points(CONSTANT), seen, 1e-5))
    return equations


HOSTILE: Mapping[str, Callable[[Client, ItemBank], list[Equation]]] = {
    "one item changed a run": lambda client, bank: by_changes(client, bank, CONSTANT),
    "values above 10": lambda client, bank: by_changes(client, bank, ABOVE),
    "tolerant against official form": by_strict_less_standard,
    "unread items": by_unread,
    "repeats": by_repeats,
}


def test_answers_of_ordinary_models_recover_no_item(client: Client, bank: ItemBank) -> None:
    chance = np.random.default_rng(11)
    answers = chance.integers(0, 11, (MOST_TRIED, N_ITEMS, 4)).astype(float)
    equations = []
    for run in runs_by(bank, lambda run, repeat, number: tuple(answers[run - 1, number - 1])):
        rows = (fetched(client, f"/api/v1/runs/{run.pk}/items?limit=200") or {"results": []})["results"]
        equations += [Equation(row["number"], points(tuple(row["answer"])), row["score"], EXACT) for row in rows]
    assert recovered(equations) == 0


@pytest.mark.parametrize("attack", HOSTILE)
def test_an_endpoint_that_chooses_its_answers_recovers_no_item(attack: str, client: Client, bank: ItemBank) -> None:
    assert recovered(HOSTILE[attack](client, bank)) == 0


def test_who_watches_a_run_at_work_recovers_no_item(client: Client, bank: ItemBank) -> None:
    equations: list[Equation] = []
    live = set()
    run = begun(bank)
    assert run is not None
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING, lease_token="00000000-0000-4000-8000-000000000000")
    for item in bank.items.order_by("number"):
        answered(run, item, 1, generic(item.number))
        for path in (f"/runs/{run.pk}/items.json", f"/api/v1/runs/{run.pk}/items?limit=200"):
            newest = newest_in(fetched(client, path))
            equations += [
                Equation(row["number"], points(generic(row["number"])), row["score"], EXACT) for row in newest
            ]
        live.add(client.get(f"/runs/{run.pk}/live/").status_code)
    assert recovered(equations) == 0
    assert live == {404}, "a total after each item is the score of this item"


def newest_in(content: Any) -> list[Any]:
    """The answer to the newest item; those to the others were seen before."""
    rows = [] if content is None else content.get("items") or content.get("results") or []
    return rows[-1:]


def test_the_attacks_recover_items_from_exact_numbers(client: Client, bank: ItemBank, settings: Any) -> None:
    """The same equations with the numbers that the database holds: the attacks would work, and the rounding and the
    number of runs are what stops them."""
    settings.PRIVATE_BANK_RUNS = MOST_TRIED
    totals = [run.pk for run in runs_by(bank, one_changed(CONSTANT))]
    first, *others = [Run.objects.get(pk=pk).score for pk in totals]
    assert first is not None
    equations = [
        Equation(number, points(generic(number)) - points(CONSTANT), per_item((total or 0.0) - first), 1e-5)
        for number, total in enumerate(others, 1)
    ]
    assert recovered(equations) == MOST_TRIED - 1
    assert fetched(client, f"/api/v1/runs/{totals[0]}") is None
