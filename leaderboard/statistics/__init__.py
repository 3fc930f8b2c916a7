"""The statistics of the board: results in, one stored section after another out; pages only read what is stored.

`marks` says what a ranking was computed from, without scipy, so that a worker loads nothing where nothing has changed.
`rows` reads each model's results once and stores what is needed of them, `frames` loads these for a whole field, and
`refreshing` computes the sections whose inputs have changed. Each section is a module with a `compute` that is pure: a
frame in, an `Outcome` out. `versions` tells these apart. What pages show of a section is stored afterwards, by
`pages.storing.statistics`.
"""
