"""What every page needs to know."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_info


def page(request: HttpRequest) -> dict[str, Any]:
    """The languages to choose from."""
    return {"languages": [get_language_info(code) for code, _ in settings.LANGUAGES]}
