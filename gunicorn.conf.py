"""What every start of the web server from this folder has in common; gunicorn reads this file by itself."""

from leaderboard.garbage import look_rarely

logger_class = "leaderboard.operations.web_lines.WebLines"
# The board uses no control socket, and gunicorn would put one into the home folder, shared by all boards of a user.
control_socket_disable = True


def post_worker_init(worker: object) -> None:
    look_rarely()
