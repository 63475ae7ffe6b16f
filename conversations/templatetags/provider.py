from django import template

from reverie.providers.choosing import chat_model
from reverie.providers.models import ConnectedModel

register = template.Library()


@register.simple_tag
def is_demo(choice: ConnectedModel | None = None) -> bool:
    """Whether no AI talks, which every page then says; in a chat, with what the chat chose."""
    return chat_model(choice).is_demo
