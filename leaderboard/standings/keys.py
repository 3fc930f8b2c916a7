"""Keys of rankings: the one place that knows how they are written and read.

A key is the slug of a bank, with the benchmark behind it where that is not the bank's own, and with the variant of the
benchmark behind that where it has variants: two rules, or two variants, never share a table. A ranking without a bank
has a key of its own, such as that of a published table.
"""

from collections.abc import Container

from evaluation.published_tables import benchmark_of

SEPARATOR = "--"


def ranking_key(bank_slug: str, bank_benchmark: str, benchmark: str, variant: str = "") -> str:
    """The key of the ranking that a run belongs to: "slug", "slug--benchmark", "slug--variant" or all three."""
    rule = "" if benchmark == bank_benchmark else benchmark
    return SEPARATOR.join(part for part in (bank_slug, rule, variant) if part)


def bank_in(key: str, slugs: Container[str]) -> str:
    """The slug of the bank that the key names, of these; "" for the key of a ranking without a bank."""
    while key and key not in slugs:
        key = key.rpartition(SEPARATOR)[0]
    return key


def rule_in(key: str, bank_slug: str, bank_benchmark: str) -> tuple[str, str]:
    """The benchmark and the variant that the key of a bank's ranking names."""
    rest = key.removeprefix(bank_slug).removeprefix(SEPARATOR)
    own = benchmark_of(bank_benchmark)
    if not rest or (own and rest in own.variants):
        return bank_benchmark, rest
    rule, _, variant = rest.rpartition(SEPARATOR)
    return (rule, variant) if benchmark_of(rule) and not benchmark_of(rest) else (rest, "")
