"""How far a dry run is, for the page that waits for it: told by the process that asks, read by whichever is asked."""

import re
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue

from django.core.cache import caches

from evaluation.endpoints.passage import Guard
from leaderboard.submissions.dry_run import Outcome, Plan, dry_run

KEPT_SECONDS = 600
_NAME = re.compile(r"[0-9a-f]{32}")


def dry_run_watched(plan: Plan, guard: Guard, name: str, leaving: Future[None], asked: str = "") -> Outcome:
    """The dry run, with its progress kept under a name of the page's own choice. Any other name keeps none. `asked`
    names the benchmark where there are several."""
    if not _NAME.fullmatch(name):
        return dry_run(plan, guard, leaving=leaving)
    answered: SimpleQueue[int | None] = SimpleQueue()
    # The event loop of the dry run may not use the database: this thread writes, another one asks.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="dry-run") as executor:
        asking = executor.submit(copy_context().run, dry_run, plan, guard, answered.put, leaving)
        asking.add_done_callback(lambda _: answered.put(None))
        while (number := answered.get()) is not None:
            caches["limits"].set(_key(name), asking_words(number, len(plan.items), asked), KEPT_SECONDS)
    return asking.result()


def progress_of(name: str) -> str:
    """What the dry run of that name does, in words; "" for one that nobody knows."""
    return caches["limits"].get(_key(name), "") if _NAME.fullmatch(name) else ""


def asking_words(answered: int, of: int, asked: str = "") -> str:
    """The first item is asked alone, the others together. What is `asked` stands first, if it is given."""
    words = _words(answered, of)
    return f"{asked}: {words[0].lower()}{words[1:]}" if asked else words


def _words(answered: int, of: int) -> str:
    if answered == 0 or answered == of - 1:
        return f"Asking item {answered + 1} of {of}"
    if answered >= of:
        return f"All {of} items are answered"
    return f"Asking items {answered + 1} to {of} of {of}"


def _key(name: str) -> str:
    return f"dry-run-progress:{name}"
