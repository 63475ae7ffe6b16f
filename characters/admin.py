from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from characters import personas
from characters.models import Bond, Persona


class OwnedAdmin(admin.ModelAdmin):
    """Who has what, since when. What people wrote into it stays with them."""

    list_display = ("name", "owner", "created_at")
    search_fields = ("=id", "=owner__id", "owner__username", "name")
    fields = readonly_fields = ("id", "name", "owner", "created_at", "updated_at")

    def has_add_permission(self, request: object) -> bool:
        return False


@admin.register(Persona)
class PersonaAdmin(OwnedAdmin):
    """Deleting goes the way that a person's own goes: another one is the default then."""

    def delete_model(self, request: HttpRequest, obj: Persona) -> None:
        personas.remove(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Persona]) -> None:
        for persona in queryset:
            personas.remove(persona)


@admin.register(Bond)
class BondAdmin(admin.ModelAdmin):
    list_display = ("user", "character", "learns", "memory_detail", "updated_at")
    search_fields = ("=user__id", "user__username", "=character__id", "character__name")
    fields = readonly_fields = ("user", "character", "learns", "memory_detail", "updated_at")

    def has_add_permission(self, request: object) -> bool:
        return False
