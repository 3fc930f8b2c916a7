"""Real output of peers, unpacked from tests/data/peers, and ways to spoil it."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data" / "peers"
LM_EVAL = "lm_eval_0.4.13"
EVALSCOPE = "evalscope_1.14.1"
EVALSCOPE_CUTTING = "evalscope_1.14.0"
Rows = list[dict[str, Any]]


def unpacked(archive: str, run: str, folder: Path) -> Path:
    """The run's folder as the peer wrote it, below `folder`."""
    with zipfile.ZipFile(DATA / f"{archive}.zip") as packed:
        packed.extractall(folder, [name for name in packed.namelist() if name.startswith(f"{run}/")])
    return folder / run


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.rglob(pattern)
    return path


def samples_of(folder: Path) -> Path:
    return only(folder, "samples_*.jsonl")


def results_of(folder: Path) -> Path:
    return only(folder, "results_*.json")


def reviews_of(folder: Path) -> Path:
    return only(folder, "reviews/*/*.jsonl")


def report_of(folder: Path) -> Path:
    return only(folder, "reports/*/*.json")


def rows_of(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: Rows) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def edit_rows(path: Path, spoil: Callable[[Rows], object]) -> None:
    rows = rows_of(path)
    spoil(rows)
    write_rows(path, rows)


def edit_json(path: Path, spoil: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    spoil(data)
    path.write_text(json.dumps(data), encoding="utf-8")
