"""Runs the demo endpoint in the foreground until it is stopped."""

import asyncio
import signal
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from aiohttp import web
from django.core.management.base import CommandError

from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.command_line import command_line
from evaluation.demo.catalogue import FAULTS
from evaluation.demo.moods import FEELINGS, NO_MOODS, Moods, moods_of, without_bank
from evaluation.demo.personas import NEEDS_REFERENCES
from evaluation.demo.questions import References, no_references, references_from, references_from_file
from evaluation.demo.server import EVERY_PERSONA, make_app
from evaluation.management.base import BaseCommand
from evaluation.models import Item, ItemBank
from evaluation.runs.summaries import as_bank


class Command(BaseCommand):
    help = "Answer chat requests on a loopback port as a made-up model, with any fault you ask for."

    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=0, help="0 picks a free port; the address is printed")
        parser.add_argument("--latency-ms", type=int, default=0)
        parser.add_argument(
            "--persona",
            default="perfect",
            choices=EVERY_PERSONA,
            metavar="NAME",
            help=f"{', '.join(EVERY_PERSONA)}. Those that feel answer EmotionBench alone: like people, with an "
            "alignment of about 94, or nothing, with about 44",
        )
        parser.add_argument(
            "--fault", action="append", default=[], metavar="NAME[:N]", help=f"may be repeated: {', '.join(FAULTS)}"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--references", type=Path, metavar="FILE", help="an official EQ-Bench question file")
        parser.add_argument(
            "--bank", metavar="SLUG", help="take the references from this bank; without it and FILE, from all banks"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        moods = loaded_moods(options["bank"])
        if not moods and options["persona"] in FEELINGS:
            self.stderr.write(f"The persona says of itself: {without_bank()}")
        references = chosen_references(options["references"], None if moods and options["bank"] else options["bank"])
        if references is no_references and options["persona"] in NEEDS_REFERENCES:
            self.stderr.write("No bank is loaded and no file is given: answers are made up, not near the references.")
        try:
            app = make_app(
                persona=options["persona"],
                latency_ms=options["latency_ms"],
                faults=options["fault"],
                seed=options["seed"],
                references=references,
                moods=moods,
            )
        except ValueError as error:
            raise CommandError(str(error)) from None
        asyncio.run(self._serve(app, options["host"], options["port"]))

    async def _serve(self, app: web.Application, host: str, port: int) -> None:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port, backlog=1024)
            await _started(site)
            bound = runner.addresses[0]
            self.stdout.write(f"http://{bound[0]}:{bound[1]}/v1")
            self.stdout.flush()
            await _stopped()
        finally:
            await runner.cleanup()


def loaded_moods(slug: str | None) -> Moods:
    """How people felt, from the bank of that slug or the first one of EmotionBench; NO_MOODS where none is loaded."""
    banks = ItemBank.objects.filter(benchmark=EMOTION_BENCH.bank)
    bank = (banks.filter(slug=slug) if slug else banks).order_by("pk").first()
    return NO_MOODS if bank is None else moods_of(as_bank(bank))


def chosen_references(path: Path | None, bank: str | None) -> References:
    """From the file, else from the bank of that slug, else from all banks; `no_references` where none is loaded.

    Raises:
        CommandError: for a file that cannot be read, or a bank that is not there or has no references.
    """
    if path is not None:
        return _from_file(path)
    items = Item.objects.filter(bank__slug=bank) if bank else Item.objects.all()
    known = [(item.prompt, dict(zip(item.labels, item.reference, strict=True))) for item in items if item.reference]
    if bank and not known:
        raise CommandError(
            f"There is no bank {bank!r} with references. Load it first: {command_line('load_bank', bank)}"
        )
    return references_from(known) if known else no_references


def _from_file(path: Path) -> References:
    try:
        return references_from_file(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: {error}") from None


async def _started(site: web.TCPSite) -> None:
    try:
        await site.start()
    except OSError as error:
        raise CommandError(f"The address cannot be used: {error.strerror}.") from None


async def _stopped() -> None:
    """Waits for SIGINT or SIGTERM."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
