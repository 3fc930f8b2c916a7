"""From a stranger's form to a queued run: names, limits, the dry run, moderation, mails."""
