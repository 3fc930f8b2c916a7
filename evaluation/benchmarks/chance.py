"""Chance from a seed: the one module of the benchmarks that may draw. Pure."""

import random


def order(seed: int, n: int) -> tuple[int, ...]:
    """A permutation of 0 … n − 1, each as likely as any other, and the same for the same seed on every Python."""
    drawn = random.Random(seed)
    # Python promises to keep the sequence of random() for a seed, but not that of shuffle().
    return tuple(sorted(range(n), key=lambda _: drawn.random()))


def numbers(seed: str, n: int) -> tuple[float, ...]:
    """n numbers from 0 up to but not 1, each as likely as any other, and the same for the same seed on every Python."""
    drawn = random.Random(seed)
    return tuple(drawn.random() for _ in range(n))
