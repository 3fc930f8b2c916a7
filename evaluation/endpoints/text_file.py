"""A small text file from a stranger's host, by the same guard as every other call: nothing followed, bytes and seconds
bounded. No Django."""

import asyncio

from evaluation.endpoints.errors import fault
from evaluation.endpoints.passage import Guard, Passage
from evaluation.endpoints.transport import Transport

MAX_BYTES = 4096
SECONDS = 10.0


def text_at(url: str, guard: Guard, *, seconds: float = SECONDS) -> str:
    """What a GET of the address gives, as text; bytes that are no UTF-8 are replaced.

    Raises:
        EndpointError: where there is no answer, or one without success: a redirect counts as none.
    """
    return asyncio.run(_text_at(url, guard, seconds))


async def _text_at(url: str, guard: Guard, seconds: float) -> str:
    passage = Passage(guard, url, has_key=False)
    transport = Transport(api_key="", max_bytes=MAX_BYTES, max_connections=1, passage=passage)
    await transport.open()
    try:
        async with asyncio.timeout(seconds):
            reply = await transport.get(url)
    except TimeoutError:
        raise fault("timeout") from None
    finally:
        await transport.close()
    if reply.status != 200:
        raise fault("refused", status=reply.status)
    return reply.body.decode("utf-8", "replace")
