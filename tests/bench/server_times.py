"""What each page costs inside one process over the made-up field of the database: `python -m tests.bench.server_times`.

Prints a JSON object: page -> milliseconds warm and after a new result (medians), and the most queries that it took. A
new result is what the refresh writes at its end: a standing with a new time, and the figures of the field under its
mark.
"""

import json
import os
import random
import statistics
import sys
import time

import django

WARM = 15
AFTER = 5
CHARTS = ("scores", "mmlu", "arena_elo", "magi_hard", "size", "release", "distribution", "items")


def pages(chance: random.Random, models: int, items: int) -> dict[str, str]:
    """An address for each page, of models and items drawn anew."""
    slugs = [f"scale-{chance.randrange(models):04}" for _ in range(5)]
    chosen = "&".join(f"m={slug}" for slug in dict.fromkeys(slugs[:4]))
    return {
        "rankings": "/rankings/scale/",
        "model": f"/models/{slugs[4]}/",
        "compare": f"/compare/?{chosen}",
        "items": "/items/scale/",
        "item": f"/items/scale/{1 + chance.randrange(items)}/",
        **{f"chart {name}": f"/charts/scale/{name}.json" for name in CHARTS},
    }


def measure() -> dict[str, dict[str, float]]:
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from evaluation.models import Item, LanguageModel
    from leaderboard.models import Standing
    from leaderboard.standings.item_figures import store_fields

    client = Client(headers={"accept-encoding": "gzip", "host": "127.0.0.1"})
    chance = random.Random(20231211)
    size = LanguageModel.objects.count(), Item.objects.count()

    def milliseconds(path: str) -> float:
        began = time.perf_counter()
        response = client.get(path)
        assert response.status_code == 200, path
        return 1000 * (time.perf_counter() - began)

    def after_result(path: str) -> float:
        Standing.objects.filter(pk=chance.choice(standings)).update(computed_at=timezone.now())
        store_fields({}, None)
        cache.clear()  # a mark may be a second old, and then the page before the result would be measured
        return milliseconds(path)

    standings = list(Standing.objects.values_list("pk", flat=True))
    for path in pages(chance, *size).values():  # templates are read, and the database's plans are made
        milliseconds(path)
    found = {}
    for name, path in pages(chance, *size).items():
        after = [after_result(pages(chance, *size)[name]) for _ in range(AFTER)]
        milliseconds(path)
        warm = [milliseconds(path) for _ in range(WARM)]
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            milliseconds(path)
        found[name] = {"warm": statistics.median(warm), "after": statistics.median(after), "queries": len(captured)}
    return found


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()
    sys.stdout.write(json.dumps(measure()))
