from django import template

from reverie.providers import chat_model

register = template.Library()


@register.simple_tag
def is_demo() -> bool:
    """Whether no AI is connected, which every page then says."""
    return chat_model().is_demo
