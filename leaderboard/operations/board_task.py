"""The class of all tasks: a database or disk that fails is one line in the log, and the clock calls again.

A command that calls a task as a function gets the error itself, and says it in its own sentence.
"""

import logging
from typing import Any

from celery.contrib.django.task import DjangoTask
from celery.exceptions import Ignore

from evaluation.database_faults import reason

logger = logging.getLogger(__name__)


class BoardTask(DjangoTask[Any, Any]):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            if not self.request.called_directly and (why := reason(error)):
                logger.error("%s could not be done, and is done when it is called again: %s", self.name, why)
                raise Ignore from None
            raise
