"""Letters of an older encoding between those of UTF-8: how files that several programs wrote can still be read."""

import codecs

AS_OLDER = "as-older-letters"  # for `errors=`


def _as_older(error: UnicodeError) -> tuple[str, int]:
    """What older European programs meant by bytes that are not UTF-8."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(AS_OLDER, _as_older)
