"""The Redis of a board on one machine: what it has kept never keeps it from starting."""

from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from leaderboard.starting.embedded_redis import answers, embedded_redis


def emptied(kept: Path) -> None:
    (kept / "appendonly.aof.manifest").write_text("")


def overwritten(kept: Path) -> None:
    (file,) = kept.glob("*.incr.aof")
    content = file.read_bytes()
    file.write_bytes(content[:200] + bytes(40) + content[240:])


@pytest.mark.parametrize("damage", [emptied, overwritten])
def test_a_redis_whose_kept_messages_are_damaged_starts_without_them(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """As a full disk or a power cut leaves them. The board did not start until somebody had removed the folder."""
    socket, folder = tmp_path / "r.sock", tmp_path / "var"
    with embedded_redis(socket, folder), redis.Redis(unix_socket_path=str(socket)) as client:
        client.lpush("celery", *("message" for _ in range(50)))
    if not (folder / "appendonlydir").exists():
        pytest.skip("this Redis keeps its messages in another form")
    damage(folder / "appendonlydir")
    with embedded_redis(socket, folder):
        assert answers(socket)
    with embedded_redis(socket, folder):
        assert answers(socket)
