"""The one-command start: embedded Redis, the processes under one roof, and what a fresh board is filled with."""
