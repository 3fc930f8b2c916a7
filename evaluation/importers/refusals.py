"""Why a file of results is refused, as a code: what to do about it hangs on this and on no word of the sentence."""

from enum import StrEnum, auto


class Refusal(StrEnum):
    """One value for each thing that can be done about a refused file."""

    TOO_LARGE = auto()
    WRONG_ENDING = auto()
    BROKEN_ZIP = auto()
    EMPTY_ZIP = auto()
    CROWDED_ZIP = auto()
    ENCRYPTED = auto()
    ODD_COMPRESSION = auto()
    PATH_OUTSIDE = auto()
    PATH_TOO_LONG = auto()
    FILE_AND_FOLDER = auto()
    TWICE_IN_UPLOAD = auto()
    RESULTS_ALONE = auto()
    REPORT_ALONE = auto()
    PREDICTIONS_ALONE = auto()
    NO_RESULTS = auto()
    NO_REPORT = auto()
    SEVERAL_RUNS = auto()
    OTHER_TASK = auto()
    NOT_IMPORTABLE = auto()
    UNNAMED_TASK = auto()
    OTHER_RUN = auto()
    REVIEWS_LACK = auto()
    OTHER_MODEL = auto()
    SEVERAL_MODELS = auto()
    NOT_WHOLE = auto()
    DOUBLED_LINE = auto()
    EDITED_DATA = auto()
    EDITED_FILE = auto()
    TOO_DEEP = auto()
    NEITHER_FORM = auto()
    NOT_UTF8 = auto()
    DOUBLED_KEY = auto()
    NOT_FINITE = auto()
    NO_NUMBER = auto()
    BANK_NOT_LOADED = auto()
    LACKS_ITEM = auto()
    OTHER_BANK = auto()
    LIKE_A_KNOWN_MODEL = auto()
    FIELD_MISSING = auto()
    BAD_DATE = auto()
    OTHER = auto()


class FileError(ValueError):
    """A file that is refused; the text says why and names items."""

    def __init__(self, text: str, refusal: Refusal) -> None:
        super().__init__(text)
        self.refusal = refusal
