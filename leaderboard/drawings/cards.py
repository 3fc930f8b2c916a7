"""Draws a card as a PNG of 1200 × 630 pixels, which chat windows show beside a shared link.

Light only: it is shown on any ground. The font is Noto Sans, from a package: Latin, Greek, Cyrillic and Devanagari.
Other signs are written in these (`card_signs`), so that no text shows boxes.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from leaderboard.drawings.card_signs import in_signs_of
from leaderboard.drawings.card_words import Card, Track

WIDTH, HEIGHT = 1200, 630
LEFT, RIGHT = 64, 1136
INK, SOFT, FAINT = "#211a26", "#564c5d", "#6f6476"
ACCENT, SPAN, RAIL, PAPER, DOT = "#7c2459", "#b9719f", "#e6dfe6", "#ffffff", "#a89fae"
REGULAR, BOLD = 400, 650
TITLE_SIZES = (66, 58, 50, 44)
SCALE = 2
"""Shapes are drawn so many times larger, and shrunk: Pillow draws no soft edges."""


NO_SIGN = "\ufdd0"
"""Unicode will never make it a sign, so each font draws its box for it."""


def path_of_font() -> str:
    return str(files("fontpkg_noto_sans") / "files" / "NotoSans[wdth,wght].ttf")


@lru_cache(maxsize=64)
def font(size: int, weight: int = REGULAR) -> ImageFont.FreeTypeFont:
    found = ImageFont.truetype(path_of_font(), size)
    found.set_variation_by_axes([100, weight] if b"Width" in found.get_variation_axes()[0]["name"] else [weight, 100])
    return found


@lru_cache(maxsize=1)
def single_signs() -> ImageFont.FreeTypeFont:
    """The font sign by sign, without shaping."""
    return ImageFont.truetype(path_of_font(), 24, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def ink(sign: str) -> tuple[tuple[int, int], bytes]:
    mask = single_signs().getmask(sign)
    return mask.size, bytes(mask)


def has(sign: str) -> bool:
    """Whether the font has a sign: it draws a box for any other."""
    return ink(sign) != ink(NO_SIGN)


def covered(card: Card) -> Card:
    """The card in signs that the font has."""

    def plain(text: str) -> str:
        return in_signs_of(has, text, card.names)

    track = card.track
    if track:
        left, middle, right = map(plain, track.labels)
        track = replace(track, labels=(left, middle, right))
    figures = tuple((plain(number), plain(words)) for number, words in card.figures)
    return replace(
        card, title=plain(card.title), subject=plain(card.subject), figures=figures, track=track, foot=plain(card.foot)
    )


def drawn(card: Card, host: str) -> bytes:
    """The PNG; `host` stands at its foot."""
    card = covered(card)
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    shapes = ImageDraw.Draw(large := Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), PAPER))
    brand(shapes)
    shapes.rectangle(scaled(0, 612, WIDTH, HEIGHT), fill=ACCENT)
    lines, size = wrapped(card.title)
    top = 118
    below = top + len(lines) * (size + 12)
    if card.track:
        rail(shapes, card.track, 470)
    picture = large.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    text = ImageDraw.Draw(picture)
    text.text((124, 40), "EQ", font=font(32, BOLD), fill=INK)
    text.text((124 + text.textlength("EQ ", font=font(32, BOLD)), 40), "Leaderboard", font=font(32), fill=INK)
    for at, line in enumerate(lines):
        text.text((LEFT, top + at * (size + 12)), line, font=font(size, BOLD), fill=INK)
    text.text((LEFT, below + 12), cut(card.subject, font(29)), font=font(29), fill=SOFT)
    figures(text, card, max(below + 68, 296))
    if card.track:
        labels(text, card.track, 494)
    text.text((LEFT, 556), cut(card.foot, font(24), RIGHT - LEFT - 320), font=font(24), fill=FAINT)
    text.text((RIGHT, 556), host[:40], font=font(24), fill=FAINT, anchor="ra")
    picture.save(out := BytesIO(), "PNG", optimize=False, compress_level=6)
    return out.getvalue()


def scaled(*values: float) -> tuple[float, ...]:
    return tuple(value * SCALE for value in values)


def brand(shapes: ImageDraw.ImageDraw) -> None:
    """Four tracks with knobs."""
    for x, y, r in ((4, 17, 2.6), (10, 11, 2.6), (16, 23, 2.6), (22, 7, 2.3)):
        left, middle, high, low, radius = (LEFT - 6 + x * 2, 40 + y * 1.8, 45, 82, r * 2)
        shapes.line(scaled(left, high, left, low), fill=SPAN, width=3 * SCALE)
        shapes.ellipse(scaled(left - radius, middle - radius, left + radius, middle + radius), fill=ACCENT)


def wrapped(title: str) -> tuple[list[str], int]:
    """The title in one or two lines, in the largest size that fits; what does not fit in the smallest is cut."""
    for size in TITLE_SIZES:
        lines = broken(title, font(size, BOLD))
        if len(lines) <= (1 if size == TITLE_SIZES[0] else 2):
            return lines, size
    face = font(TITLE_SIZES[-1], BOLD)
    return [*lines[:1], cut(" ".join(lines[1:]), face)], TITLE_SIZES[-1]


def broken(text: str, face: ImageFont.FreeTypeFont) -> list[str]:
    """Lines that fit, broken at blanks; a word that is longer than a line is broken within."""
    lines, line = [], ""
    for word in pieces(text, face):
        joined = f"{line} {word}".strip()
        if face.getlength(joined) <= RIGHT - LEFT:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
    return [*lines, line] if line else lines


def pieces(text: str, face: ImageFont.FreeTypeFont) -> Iterator[str]:
    """The words, and the parts of one that is longer than a line."""
    for word in text.split():
        rest = word
        while face.getlength(rest) > RIGHT - LEFT:
            n = next(n for n in range(len(rest), 0, -1) if n == 1 or face.getlength(rest[:n]) <= RIGHT - LEFT)
            yield rest[:n]
            rest = rest[n:]
        yield rest


def cut(text: str, face: ImageFont.FreeTypeFont, width: float = RIGHT - LEFT) -> str:
    if face.getlength(text) <= width:
        return text
    while text and face.getlength(text + "…") > width:
        text = text[:-1]
    return text.rstrip() + "…"


def figures(text: ImageDraw.ImageDraw, card: Card, top: float) -> None:
    """Side by side, each number above what it is."""
    slot = (RIGHT - LEFT) / max(3, len(card.figures))
    for at, (number, words) in enumerate(card.figures):
        face = font(60, BOLD) if font(60, BOLD).getlength(number) <= slot - 20 else font(40, BOLD)
        text.text((LEFT + at * slot, top), cut(number, face, slot - 20), font=face, fill=INK)
        text.text((LEFT + at * slot, top + 78), cut(words, font(26), slot - 16), font=font(26), fill=SOFT)


def rail(shapes: ImageDraw.ImageDraw, track: Track, y: float) -> None:
    def x(share: float) -> float:
        return LEFT + share * (RIGHT - LEFT)

    shapes.rounded_rectangle(scaled(LEFT, y - 3, RIGHT, y + 3), radius=3 * SCALE, fill=RAIL)
    if track.middle_line:
        shapes.line(scaled(x(0.5), y - 26, x(0.5), y + 26), fill=FAINT, width=2 * SCALE)
    for share in track.others:
        shapes.ellipse(scaled(x(share) - 6, y - 6, x(share) + 6, y + 6), fill=DOT)
    if track.low is not None and track.high is not None:
        shapes.rounded_rectangle(scaled(x(track.low) - 6, y - 10, x(track.high) + 6, y + 10), 10 * SCALE, fill=SPAN)
    at = x(track.at)
    shapes.ellipse(scaled(at - 17, y - 17, at + 17, y + 17), fill=ACCENT)
    if track.hollow:
        shapes.ellipse(scaled(at - 11, y - 11, at + 11, y + 11), fill=PAPER)


def labels(text: ImageDraw.ImageDraw, track: Track, top: float) -> None:
    face, (left, middle, right) = font(22), track.labels
    text.text((LEFT, top), cut(left, face, 480), font=face, fill=FAINT)
    text.text(((LEFT + RIGHT) / 2, top), middle, font=face, fill=FAINT, anchor="ma")
    text.text((RIGHT, top), cut(right, face, 480), font=face, fill=FAINT, anchor="ra")
