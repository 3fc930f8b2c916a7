"""How often a process looks for garbage that reference counts do not free: rarely, since it makes next to none.

Measured: by Python's own thresholds the looking is a fifth of the CPU of the statistics, and of starting a command.
"""

import gc
from typing import Any

NEW_OBJECTS, YOUNG, MIDDLE = 10_000, 20, 50
"""So many more objects than before start a look at the new ones; so many of these a look at older ones, and so on."""


def look_rarely(**_: Any) -> None:
    """To be called once all modules are loaded: none of what is there now is ever looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, YOUNG, MIDDLE)
    gc.enable()
