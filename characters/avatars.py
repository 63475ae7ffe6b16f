"""Pictures that people bring, made small and harmless."""

import struct
from io import BytesIO
from typing import IO

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.utils.translation import gettext as _
from PIL import Image, ImageOps

MAX_BYTES = 5 * 1024 * 1024
MAX_PIXELS = 25_000_000
SIDE = 512  # pixels of the longer side as kept
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, struct.error)


def portrait(file: IO[bytes], size: int) -> ContentFile:
    """A WebP of at most 512 pixels a side, without anything that was hidden in the file (A7).

    Raises `ValidationError` with code `too_big`, `too_many_pixels` or `not_a_picture`.
    """
    if size > MAX_BYTES:
        raise ValidationError(_("This picture is larger than 5 MB."), code="too_big")
    try:
        return _reduce(file)
    except Image.DecompressionBombError as error:
        raise _too_many_pixels() from error
    # Broken pictures make Pillow raise nearly anything; all of it means the same to a person.
    except _BROKEN as error:
        raise _no_picture() from error


def _reduce(file: IO[bytes]) -> ContentFile:
    with Image.open(file, formats=FORMATS) as image:
        if image.width * image.height > MAX_PIXELS:
            raise _too_many_pixels()
        image.draft("RGB", (SIDE, SIDE))
        upright = ImageOps.exif_transpose(image)
    upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    upright.thumbnail((SIDE, SIDE))
    bare = Image.new(upright.mode, upright.size)
    bare.paste(upright)
    kept = BytesIO()
    bare.save(kept, "WEBP", quality=85)
    return ContentFile(kept.getvalue())


def _no_picture() -> ValidationError:
    return ValidationError(
        _("This is not a picture that can be read here. PNG, JPEG, WebP and GIF can."),
        code="not_a_picture",
    )


def _too_many_pixels() -> ValidationError:
    return ValidationError(
        _("This picture has more than 25 million pixels."), code="too_many_pixels"
    )
