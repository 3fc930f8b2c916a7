"""What a study of replies stores: prompts, replies, groups of raters, their ratings, and counts.

A rater is a hash (`rater_hash`, see `study.identity`): no table holds a platform id, an invitation code or an address
of the network. All exports give raters new random codes (`study.exporting`).
"""

from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.db.models import Q

from evaluation.models import ItemBank, ItemResult, LanguageModel, Run
from leaderboard.study.result_models import AggregateCount as AggregateCount  # noqa: PLC0414 Django finds tables here
from leaderboard.study.result_models import StudyImport as StudyImport  # noqa: PLC0414 Django finds tables here
from leaderboard.study.result_models import StudyResult as StudyResult  # noqa: PLC0414 Django finds tables here
from leaderboard.study.states import (
    HOLDING,
    EntryMode,
    GroupState,
    Level,
    ParticipationSource,
    ParticipationState,
    ResponderKind,
    StudyState,
)

HELP_ADDRESS = RegexValidator(
    r"^(https://|tel:|mailto:)\S+$", "Write an address that begins with https:, tel: or mailto:."
)


class PromptSet(models.Model):
    """Situations that responders reply to. Frozen once a study uses it: a changed set is a new one.

    `shows_texts` says whether situations and replies may be on public pages and in downloads; raters see them always.
    """

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    version = models.CharField(max_length=40, default="1")
    bank = models.ForeignKey(
        ItemBank, null=True, blank=True, on_delete=models.SET_NULL, related_name="prompt_sets",
        help_text="the bank that models are asked with, where there is one",
    )  # fmt: skip
    licence = models.CharField(max_length=120, blank=True)
    shows_texts = models.BooleanField(default=False)
    sha256 = models.CharField(max_length=64, unique=True, help_text="of its prompts, in order")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title


class Prompt(models.Model):
    """One situation with what its speaker says. `held_for` is why a filter holds the text back; "" for nothing."""

    prompt_set = models.ForeignKey(PromptSet, on_delete=models.CASCADE, related_name="prompts")
    number = models.PositiveIntegerField(help_text="1-based position in the set's file")
    item_id = models.CharField(max_length=60)
    emotion = models.CharField(max_length=40)
    valence = models.CharField(max_length=8, choices=[("positive", "positive"), ("negative", "negative")])
    situation = models.TextField()
    utterance = models.TextField()
    held_for = models.CharField(max_length=200, blank=True)
    cleared_at = models.DateTimeField(null=True, blank=True, help_text="when staff let the held text through")

    class Meta:
        ordering = ["prompt_set_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["prompt_set", "item_id"], name="one_item_id_per_prompt_set"),
            models.UniqueConstraint(fields=["prompt_set", "number"], name="one_number_per_prompt_set"),
        ]

    def __str__(self) -> str:
        return self.item_id


class Study(models.Model):
    """One study over one prompt set: every responder replies to the same prompts, in the same batches.

    `exclusion_rule` lists the flags (`states.Flag`) that together exclude a participation from the second set of
    figures; it is fixed once a group has opened. `questionnaire` lists the texts of the optional questions. The
    counters `n_entered` and `n_declined` are all that is kept of people who did not consent.
    """

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    prompt_set = models.ForeignKey(PromptSet, on_delete=models.PROTECT, related_name="studies")
    state = models.CharField(max_length=6, choices=StudyState, default=StudyState.DRAFT)
    items_per_rater = models.PositiveSmallIntegerField(default=10)
    ratings_per_reply = models.PositiveSmallIntegerField(default=1)
    screens_version = models.PositiveSmallIntegerField(default=1, help_text="of the texts of the rater's pages")
    reservation_minutes = models.PositiveSmallIntegerField(default=60, help_text="without activity, then it expires")
    entry_mode = models.CharField(max_length=8, choices=EntryMode, default=EntryMode.PLATFORM)
    id_parameter = models.CharField(
        max_length=40, default="PROLIFIC_PID", help_text="name of the platform's id in the link that raters follow"
    )
    completion_code = models.CharField(
        max_length=40, blank=True, help_text="one code for all, as platforms want it; empty: each rater gets an own one"
    )
    completion_url = models.URLField(
        max_length=500,
        blank=True,
        validators=[URLValidator(schemes=["https"])],
        help_text="https address of the platform that a rater returns to",
    )
    ethics_reference = models.CharField(
        max_length=300, blank=True, help_text="approval or statement of exemption; a study cannot open without"
    )
    help_text = models.CharField(max_length=300, blank=True, help_text="who helps a rater whom a text upset")
    help_link = models.CharField(
        max_length=300, blank=True, validators=[HELP_ADDRESS], help_text="https: or tel: address of that help"
    )
    asks_background = models.BooleanField(default=False, help_text="asks for age band and gender")
    questionnaire = models.JSONField(default=list, blank=True)
    exclusion_rule = models.JSONField(default=list, blank=True)
    baseline_note = models.CharField(max_length=300, blank=True, help_text="who wrote the baseline's replies")
    citation = models.TextField(blank=True)
    notes = models.JSONField(default=dict, blank=True, help_text="texts of the methods box, by their term")
    n_entered = models.PositiveIntegerField(default=0)
    n_declined = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "studies"
        permissions = [
            ("open_study", "Can open study"),
            ("import_study", "Can import into study"),
            ("export_study", "Can export study"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state=StudyState.DRAFT) | ~Q(ethics_reference=""), name="open_study_has_ethics_reference"
            ),
            models.CheckConstraint(condition=Q(items_per_rater__gte=1), name="study_items_per_rater_at_least_one"),
            models.CheckConstraint(condition=Q(ratings_per_reply__gte=1), name="study_ratings_per_reply_at_least_one"),
        ]

    def __str__(self) -> str:
        return self.title


class ConsentForm(models.Model):
    """One version of what a rater agrees to. Never edited: a changed text is the next version."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_forms")
    version = models.PositiveSmallIntegerField()
    purpose = models.TextField()
    minutes = models.PositiveSmallIntegerField(default=10, help_text="how long it takes")
    pay = models.CharField(max_length=200, help_text="as a rater reads it, such as: You are paid £1.80.")
    organisation = models.CharField(max_length=200)
    contact = models.EmailField()
    kept_months = models.PositiveSmallIntegerField(default=12, help_text="then hashes become random codes")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "version"]
        constraints = [models.UniqueConstraint(fields=["study", "version"], name="one_consent_form_per_version")]

    def __str__(self) -> str:
        return f"consent form {self.version} of {self.study_id}"


class StudyItem(models.Model):
    """A prompt's place in the study's batches, the same for each responder. Both numbers are 1-based."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="+")
    batch = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["study_id", "batch", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "prompt"], name="one_study_item_per_prompt"),
            models.UniqueConstraint(fields=["study", "batch", "position"], name="one_study_item_per_position"),
            models.CheckConstraint(condition=Q(batch__gte=1) & Q(position__gte=1), name="study_item_numbers_from_one"),
        ]

    def __str__(self) -> str:
        return f"batch {self.batch}, {self.position}"


class Responder(models.Model):
    """Who wrote the replies of a group: people, or one version of a model. Raters read `label` after they have sent.

    `frozen_sha256` is the hash over item ids and texts of its replies; "" until they are frozen. A changed reply needs
    a new responder.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="responders")
    key = models.SlugField(max_length=60)
    label = models.CharField(max_length=80)
    kind = models.CharField(max_length=5, choices=ResponderKind)
    model = models.ForeignKey(
        LanguageModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="study_responders"
    )
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="study_responders")
    version = models.CharField(max_length=80, blank=True)
    is_baseline = models.BooleanField(default=False, help_text="gains are relative to it")
    mean_tokens = models.FloatField(null=True, blank=True, help_text="of a reply, where replies are not stored")
    frozen_sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_responder_key_per_study"),
            models.UniqueConstraint(fields=["study"], condition=Q(is_baseline=True), name="one_baseline_per_study"),
        ]

    def __str__(self) -> str:
        return self.label


class Response(models.Model):
    """One reply to one prompt, as raters see it. Refusals and empty replies are kept.

    `text` is a copy: `result` may lose its reply to the retention of replies. `held_for` as in `Prompt`.
    """

    responder = models.ForeignKey(Responder, on_delete=models.CASCADE, related_name="responses")
    item = models.ForeignKey(StudyItem, on_delete=models.CASCADE, related_name="responses")
    result = models.ForeignKey(
        ItemResult, null=True, blank=True, on_delete=models.SET_NULL, related_name="study_responses"
    )
    text = models.TextField(blank=True)
    n_tokens = models.PositiveIntegerField(null=True, blank=True)
    n_words = models.PositiveIntegerField(null=True, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="of the text")
    held_for = models.CharField(max_length=200, blank=True)
    cleared_at = models.DateTimeField(null=True, blank=True, help_text="when staff let the held text through")

    class Meta:
        ordering = ["responder_id", "item_id"]
        constraints = [models.UniqueConstraint(fields=["responder", "item"], name="one_response_per_responder_item")]

    def __str__(self) -> str:
        return f"reply of {self.responder_id} to {self.item_id}"


class Group(models.Model):
    """The raters of one responder in one wave. Groups that are open at once are filled in step.

    `target` is how many raters it takes; it may be below the number of batches, as in a control of 51 raters.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="groups")
    responder = models.ForeignKey(Responder, on_delete=models.CASCADE, related_name="groups")
    wave = models.PositiveSmallIntegerField(default=1)
    target = models.PositiveIntegerField()
    state = models.CharField(max_length=6, choices=GroupState, default=GroupState.DRAFT)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study_id", "wave", "id"]
        constraints = [
            models.UniqueConstraint(fields=["responder", "wave"], name="one_group_per_responder_and_wave"),
            models.CheckConstraint(condition=Q(target__gte=1), name="group_target_at_least_one"),
        ]

    def __str__(self) -> str:
        return f"{self.responder}, wave {self.wave}"


class Invitation(models.Model):
    """The hash of a code that was given out; the code itself is shown to the operator once and never stored."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    rater_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "rater_hash"], name="one_invitation_per_code")]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class Participation(models.Model):
    """One person's ten ratings, from the consent on. An imported one has neither consent nor, perhaps, a hash.

    `batch` and `slot` say which batch it rates and which of the `ratings_per_reply` readings of it this is, both
    1-based; the database lets no two participations hold one slot. `seed` orders the items. `attention_at` is the
    screen, 1-based, that asks for the level `attention_wants`. Seconds are those that a screen was open.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participations")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="participations")
    batch = models.PositiveIntegerField(null=True, blank=True)
    slot = models.PositiveSmallIntegerField(default=1)
    source = models.CharField(max_length=8, choices=ParticipationSource, default=ParticipationSource.LIVE)
    rater_hash = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 NULLs are not unique, "" is
    anonymised_at = models.DateTimeField(null=True, blank=True, help_text="when the hash became a random code")
    consent_form = models.ForeignKey(ConsentForm, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    consent_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=9, choices=ParticipationState, default=ParticipationState.RESERVED)
    seed = models.BigIntegerField(default=0)
    tutorial_at = models.DateTimeField(null=True, blank=True, help_text="when the tutorial was first shown")
    started_at = models.DateTimeField(null=True, blank=True, help_text="when the first item could be rated")
    active_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    attention_at = models.PositiveSmallIntegerField(null=True, blank=True)
    attention_wants = models.PositiveSmallIntegerField(null=True, blank=True, choices=Level)
    attention_value = models.PositiveSmallIntegerField(null=True, blank=True, choices=Level)
    attention_seconds = models.FloatField(null=True, blank=True)
    questionnaire = models.JSONField(null=True, blank=True, help_text="answers 0 to 4, in the study's order")
    flags = models.JSONField(default=list, blank=True)
    completion_code = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["study_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "rater_hash"], name="one_participation_per_rater_and_study"),
            models.UniqueConstraint(
                fields=["group", "batch", "slot"], condition=Q(state__in=HOLDING), name="one_holder_per_batch_and_slot"
            ),
            models.CheckConstraint(
                condition=Q(source=ParticipationSource.IMPORTED)
                | Q(
                    batch__isnull=False, rater_hash__isnull=False, consent_form__isnull=False, consent_at__isnull=False
                ),
                name="live_participation_has_consent",
            ),
            models.CheckConstraint(condition=Q(slot__gte=1), name="participation_slot_at_least_one"),
        ]
        indexes = [
            models.Index(fields=["state", "active_at"], name="participation_activity"),
            models.Index(fields=["group", "state"], name="participation_of_group"),
        ]

    def __str__(self) -> str:
        return f"participation {self.pk}"


class Rating(models.Model):
    """One answer to one reply. Counts only where its participation is done. `seconds`: how long the screen was open."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="ratings")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="ratings")
    value = models.PositiveSmallIntegerField(choices=Level)
    seconds = models.FloatField(null=True, blank=True)
    rated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participation", "response"], name="one_rating_per_reply_and_participation"
            ),
            models.CheckConstraint(condition=Q(value__gte=1) & Q(value__lte=3), name="rating_value_1_to_3"),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0), name="rating_seconds_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"rating {self.pk}"


class Background(models.Model):
    """Age band and gender, apart from the answers; shown only as counts from 10 up. Goes with a withdrawal."""

    participation = models.OneToOneField(
        Participation, on_delete=models.CASCADE, primary_key=True, related_name="background"
    )
    age_band = models.CharField(max_length=10, blank=True)
    gender = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"background of participation {self.pk}"
