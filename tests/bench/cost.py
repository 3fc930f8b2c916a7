"""What a command costs as a process, by the kernel's own account: `python -m tests.bench.cost OUTPUT COMMAND ...`.

A process of its own, and a small one: the kernel counts the memory of whoever starts a process as the first peak of
what it starts. It writes what the command prints to the file OUTPUT, and prints seconds, CPU seconds and megabytes.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took: seconds by the clock, seconds of CPU, megabytes at the peak."""

    wall: float
    cpu: float
    megabytes: float
    output: str


def cost_of(*arguments: str) -> Cost:
    """One management command as a whole process."""
    with tempfile.NamedTemporaryFile("r") as out:
        command = [sys.executable, "-m", "tests.bench.cost", out.name, sys.executable, "manage.py", *arguments]
        told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        wall, cpu, megabytes = json.loads(told)
        return Cost(wall, cpu, megabytes, out.read())


def main() -> None:
    began = time.perf_counter()
    with Path(sys.argv[1]).open("w") as out:
        subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.write(json.dumps([wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))


if __name__ == "__main__":
    main()
