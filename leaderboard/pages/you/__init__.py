"""A visitor answers ten dialogues and sees where the score would rank."""
