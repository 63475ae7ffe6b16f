"""Personas, of which exactly one is worn in new chats."""

from django.db import transaction

from characters.models import Persona, PersonaQuerySet


@transaction.atomic
def keep(persona: Persona) -> Persona:
    """Save a persona. The first one, or one made the default, is what new chats use from now on."""
    others = _others(persona)
    persona.is_default = persona.is_default or not others.filter(is_default=True).exists()
    if persona.is_default:
        others.update(is_default=False)
    persona.save()
    return persona


@transaction.atomic
def remove(persona: Persona) -> None:
    """Delete a persona. If it was the default, the newest of the others is it now."""
    others = list(_others(persona)[:1])
    persona.delete()
    if persona.is_default and others:
        keep(others[0])


def _others(persona: Persona) -> PersonaQuerySet:
    locked = Persona.objects.select_for_update().filter(owner=persona.owner_id)
    return locked.exclude(pk=persona.pk).order_by("-pk")
