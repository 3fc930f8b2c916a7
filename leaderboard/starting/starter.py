"""Whether the process that started this one has been told to stop. `make` needs it: a SIGTERM it hands on, a SIGINT
sent to it alone it does not; it then waits for a program that knows of nothing.
"""

import os
import signal
from pathlib import Path


def told_to_stop(starter: int) -> bool:
    """Whether the process of that id is gone, or holds a signal that should end it until its child has ended."""
    if os.getppid() != starter:
        return True
    try:
        return waits_to_end(Path(f"/proc/{starter}/status").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return False  # no /proc on this machine


def waits_to_end(status: str) -> bool:
    """From a process's status in /proc: GNU make at its end blocks the signal and no longer catches it; at work it
    catches each that it blocks for a moment.
    """
    masks = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith(("SigBlk:", "SigCgt:")))
    blocked, caught = (int(masks.get(name, "0"), 16) for name in ("SigBlk", "SigCgt"))
    return any(blocked & ~caught & 1 << (number - 1) for number in (signal.SIGHUP, signal.SIGINT))
