from decimal import Decimal

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def grouped(number: int | None) -> str:
    """12345 as 12,345, however the reader's language writes it; a dash for what nobody counted."""
    return "–" if number is None else number_format(number, use_l10n=True, force_grouping=True)


@register.filter
def dollars(cost: str | Decimal) -> str:
    """To the cent, and beyond it as far as there is something: $2.50, $0.0012, $0.000031."""
    whole, part = f"{Decimal(cost):,.6f}".split(".")
    return f"${whole}.{part[:2]}{part[2:].rstrip('0')}"
