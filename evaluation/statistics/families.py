"""The emotion words of EQ-Bench v2 (English) in families.

Pure: may not import Django, HTTP or a clock.

The grouping is our own. The idea: a dialogue leaves each person with a judgement of what happened to them, and words
that rest on the same judgement belong together, whatever their strength and part of speech ("Anger" and "Angry",
"Annoyed" and "Enraged"). The judgements are those of appraisal theories (Lazarus 1991, Scherer 2001) in plain words,
in the order of the table: another is to blame; another stands below me; another has done me down; something may go
wrong; something is lost; I am at fault or fall short; something goes well; a strain has ended; I have won or can do it;
I wish another well or they me; this is new; this may not be so; this is no concern of mine; I hold my ground. Words
that rest on two are filed under the one that is stronger in a quarrel, since most of the dialogues are quarrels. The
families serve to show where a model's answers lean; nothing is scored by them.
"""

FAMILIES: dict[str, tuple[str, ...]] = {
    "anger": (
        "Accusatory", "Agitated", "Anger", "Angry", "Annoyance", "Annoyed", "Bitter", "Enraged", "Exasperated",
        "Exasperation", "Frustrated", "Frustration", "Hostile", "Impatient", "Indignant", "Indignation", "Irritated",
        "Irritation", "Outraged", "Provoked", "Resentful", "Resentment", "Spiteful", "Vengeful", "Vindictive",
    ),
    "contempt": (
        "Arrogant", "Condescending", "Condescension", "Contempt", "Contemptuous", "Disdain", "Disgusted", "Dismissive",
        "Gloating", "Judgmental", "Mocking", "Superior",
    ),
    "hurt": (
        "Alienated", "Attacked", "Belittled", "Betrayal", "Betrayed", "Dismissed", "Envious", "Humiliated", "Hurt",
        "Ignored", "Insulted", "Misunderstood", "Offended", "Rebuked", "Rejection", "Reprimanded", "Reproached",
        "Victimized",
    ),
    "fear": (
        "Anxiety", "Anxious", "Cautious", "Concern", "Concerned", "Fear", "Fearful", "Intimidated", "Nervous",
        "Overwhelmed", "Panic", "Scared", "Threatened", "Worried",
    ),
    "sadness": (
        "Defeated", "Despair", "Desperate", "Desperation", "Disappointed", "Disappointment", "Disheartened", "Dismay",
        "Exhausted", "Gloomy", "Helplessness", "Lonely", "Resignation", "Resigned", "Sadness",
    ),
    "guilt and shame": (
        "Apologetic", "Ashamed", "Contrite", "Embarrassed", "Embarrassment", "Guilt", "Guilty", "Humble", "Inadequate",
        "Inferior", "Insecure", "Regret", "Regretful", "Remorse", "Remorseful", "Shame",
    ),
    "joy": (
        "Amused", "Amusement", "Content", "Contentment", "Elated", "Entertained", "Euphoric", "Excited", "Exhilarated",
        "Happiness", "Hopeful", "Inspired", "Joy", "Joyful", "Pleased", "Satisfaction", "Satisfied",
    ),
    "relief": (
        "Calm", "Liberated", "Mollified", "Pacified", "Patient", "Reassured", "Relief", "Relieved", "Secure",
    ),
    "pride": (
        "Confident", "Determination", "Determined", "Emboldened", "Empowered", "Justified", "Motivated", "Pride",
        "Proud", "Resolute", "Triumph", "Triumphant", "Victorious", "Vindicated", "Vindication",
    ),
    "goodwill": (
        "Acceptance", "Admiration", "Affectionate", "Agreement", "Attraction", "Empathetic", "Empathy", "Flattered",
        "Grateful", "Pity", "Respect", "Respected", "Sympathetic", "Understanding", "Understood",
    ),
    "surprise and interest": (
        "Anticipation", "Astonished", "Curiosity", "Curious", "Eager", "Enlightenment", "Intrigue", "Intrigued",
        "Shocked", "Surprise", "Surprised",
    ),
    "doubt": (
        "Bewildered", "Confused", "Confusion", "Disbelief", "Distrust", "Doubtful", "Incredulous", "Perplexed",
        "Skeptical", "Suspicion", "Uncertain", "Unsure",
    ),
    "indifference": (
        "Apathetic", "Apathy", "Bored", "Complacent", "Detached", "Disinterest", "Disinterested", "Indifference",
        "Indifferent", "Neutral", "Nonchalant", "Unfazed", "Uninterested", "Unperturbed",
    ),
    "defiance": (
        "Challenged", "Defensive", "Defensiveness", "Defiance", "Defiant", "Denial", "Rebellious", "Unapologetic",
    ),
}  # fmt: skip

OTHER = "other"
"""Stands for words of no family, such as those of another bank or language."""

_FAMILY_OF = {word.casefold(): family for family, words in FAMILIES.items() for word in words}


def family_of(word: str) -> str:
    """The family of an emotion word, in any case of letters; OTHER for a word that has none."""
    return _FAMILY_OF.get(word.strip().casefold(), OTHER)
