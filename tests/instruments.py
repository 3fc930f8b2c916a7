"""Looking into a process of the product from outside: a signal at a chosen moment, and what was loaded at its end.

Python imports `sitecustomize` before anything else; a folder with one goes to the front of its path. Nothing of the
product is changed by it.
"""

import json
from dataclasses import dataclass
from pathlib import Path

SENDER = """
import os, signal, sys

kind, _, name = os.environ["SIGNAL_AT"].partition(" ")
number = getattr(signal, os.environ.get("SIGNAL", "SIGINT"))
left = [name]

def send(found):
    if left and found == left[0]:
        left.clear()
        sys.setprofile(None)
        os.kill(os.getpid(), number)

class Finder:
    def find_spec(self, module, path=None, target=None):
        send(module)

def watch(frame, event, argument):
    if event == kind:
        send(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_code.co_name}")

if kind == "import":
    sys.meta_path.insert(0, Finder())
else:
    sys.setprofile(watch)
"""

LISTER = """
import atexit, json, os, sys

def tell():
    template = sys.modules.get("django.template")
    engines = list(template.engines._engines) if template else []
    with open(os.environ["LOADED_TO"], "w") as file:
        json.dump({"modules": sorted(sys.modules), "engines": engines}, file)

atexit.register(tell)
"""


def signal_at(folder: Path, moment: str, name: str = "SIGINT") -> dict[str, str]:
    """The environment of a process that gets the signal at that moment.

    Args:
        moment: "import MODULE", before it is imported; "call FILE.py:FUNCTION" or "return FILE.py:FUNCTION".
    """
    return {"PYTHONPATH": _customised(folder, SENDER), "SIGNAL_AT": moment, "SIGNAL": name}


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a process had imported when it ended, and which template engines it had set up."""

    modules: frozenset[str]
    engines: tuple[str, ...]

    def of_packages(self, *packages: str) -> set[str]:
        """Those of the packages of which a module was imported."""
        return {name.partition(".")[0] for name in self.modules} & set(packages)


def lists_what_it_loads(folder: Path) -> dict[str, str]:
    """The environment of a process that writes what it has loaded; `loaded` reads it."""
    return {"PYTHONPATH": _customised(folder, LISTER), "LOADED_TO": str(folder / "loaded.json")}


def loaded(folder: Path) -> Loaded:
    told = json.loads((folder / "loaded.json").read_text())
    return Loaded(frozenset(told["modules"]), tuple(told["engines"]))


def _customised(folder: Path, code: str) -> str:
    (folder / "sitecustomize.py").write_text(code)
    return str(folder)
