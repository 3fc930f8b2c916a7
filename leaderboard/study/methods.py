"""The methods box of a study: what holds for every study, and in its place what the study says itself. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.statistics.study_figures import LEAST_RATERS, Group, Line, Study
from leaderboard.rounding import count, number
from leaderboard.study.wording import joined, number_word

DESIGN, REPLIES, COUNTS = "Design", "Replies", "Where the counts come from"
RATERS, CORRECTION, EXCLUSIONS = "Several ratings of one rater", "Correction", "Exclusions"
LICENCES, LIMITS = "Texts and licences", "What it covers"
BASES = {
    "counted": "counted from public ratings",
    "recovered": "recovered: only this number of Good gives the published test; Okay and Bad cannot be recovered",
    "imported": "imported by the operators",
    "live": "rated on this board",
}


@dataclass(frozen=True, slots=True)
class Method:
    term: str
    text: str


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """What the sentences are made of. `rule` is the exclusion rule in words, "" for none."""

    study: Study
    labels: Mapping[str, str]
    items_per_rater: int
    ratings_per_reply: int
    rule: str
    with_rule: bool
    licence: str


def methods(facts: MethodFacts, own: Mapping[str, str]) -> tuple[Method, ...]:
    """`own` has the study's own texts: one with the term of a general one takes its place, others come last."""
    general = {
        DESIGN: _design(facts),
        REPLIES: "",
        COUNTS: _counts(facts),
        RATERS: _raters(facts),
        CORRECTION: _correction(facts),
        EXCLUSIONS: _exclusions(facts),
        LICENCES: _licences(facts),
        LIMITS: "Short single replies in everyday situations. It says nothing about therapy or felt empathy.",
    }
    return tuple(Method(term, text) for term, text in {**general, **own}.items() if text)


def _design(facts: MethodFacts) -> str:
    # At most: a group may take fewer raters than there are batches, as a control does.
    often = "once" if facts.ratings_per_reply == 1 else f"{number_word(facts.ratings_per_reply)} times"
    replies = number_word(facts.items_per_rater)
    return (
        f"Each rater rates {replies} replies of one source and does not know which source it is. Each reply is rated "
        f"at most {often}. Groups that are open at the same time are filled at random."
    )


def _counts(facts: MethodFacts) -> str:
    by_basis: dict[str, list[str]] = {}
    for line in facts.study.scopes[0].lines:
        by_basis.setdefault(line.basis, []).append(facts.labels[line.responder])
    sentences = [
        f"{joined(names)} {'is' if len(names) == 1 else 'are'} {BASES[basis]}."
        for basis, names in by_basis.items()
        if basis in BASES
    ]
    return " ".join(sentences)


def _raters(facts: MethodFacts) -> str:
    """Design effects, and whether the lead of the best model holds when a rater counts once. "" for one rating each."""
    if facts.items_per_rater == 1:
        return ""
    known = [group for group in facts.study.groups if group.design_effect is not None and not group.is_preliminary]
    if not known and any(group.is_preliminary for group in facts.study.groups):
        return f"They are not independent. With fewer than {LEAST_RATERS} raters a group nothing is said about it."
    if not known:
        return "They are not independent. By rater: not available, since raters are not known or do not differ."
    effects = joined([f"{number(group.design_effect, 1)} for {_label(facts, group)}" for group in known])
    return f"They are not independent. The design effect is {effects}. {_lead(facts, known)}".strip()


def _label(facts: MethodFacts, group: Group) -> str:
    return facts.labels.get(group.responder, group.responder)


def _lead(facts: MethodFacts, known: Sequence[Group]) -> str:
    names = {group.responder for group in known}
    if any(group.is_preliminary for group in facts.study.groups if group.responder == facts.study.reference):
        return ""
    best: Line | None = next((line for line in facts.study.scopes[0].lines[1:] if line.responder in names), None)
    if best is None:
        return ""
    reference = facts.study.reference
    pair = next(p for p in facts.study.scopes[0].pairs if (p.first, p.second) == (best.responder, reference))
    welch = pair.by_rater.welch if pair.by_rater else None
    if welch is None:
        return ""
    label, people = facts.labels[best.responder], facts.labels[reference]
    holds = "holds" if welch.p < 0.05 else "does not hold"
    what = "lead over" if pair.points > 0 else "distance from"
    return f"{label}’s {what} {people} {holds} by rater (Welch’s t {number(welch.t, 1)})."


def _correction(facts: MethodFacts) -> str:
    apart = any(group.is_preliminary for group in facts.study.groups)
    return (
        "Holm’s covers all pairs of sources, once for all emotions, once for positive and once for negative ones; "
        + ("pairs with a preliminary group are corrected apart; " if apart else "")
        + "Benjamini-Hochberg’s covers the emotions of one model."
    )


def _exclusions(facts: MethodFacts) -> str:
    n = sum(line.n for line in facts.study.scopes[0].lines)
    if not facts.rule:
        return f"None: all {count(n)} ratings count."
    rule = f"The rule was fixed before the first group opened: {facts.rule}."
    return f"{rule} Here it is applied." if facts.with_rule else f"{rule} Here all raters count."


def _licences(facts: MethodFacts) -> str:
    terms = f" Licence of the prompts: {facts.licence}." if facts.licence else ""
    return f"Neither prompts nor replies are shown here.{terms} Counts are facts."
