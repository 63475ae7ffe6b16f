from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from characters.admin import OwnedAdmin
from characters.models import Character
from memories import keeping, moving
from memories.models import Memory, MemoryChange


@admin.register(Character)
class CharacterAdmin(OwnedAdmin):
    """Deleting one makes its memories global (D12), so its scope is in nobody's way."""

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        doomed, counts, refused, _ = super().get_deleted_objects(objs, request)
        return doomed, counts, refused, []

    def delete_model(self, request: HttpRequest, obj: Character) -> None:
        moving.delete_character(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Character]) -> None:
        for character in queryset.select_related("owner"):
            moving.delete_character(character)


@admin.register(Memory)
class MemoryAdmin(admin.ModelAdmin):
    """What there is of whom; what people wrote stays with them. Deleting goes the way that a
    person's own goes: counted, journalled, seen in every tab."""

    list_display = ("id", "scope", "state", "strength", "origin", "unused_days", "updated_at")
    list_filter = ("strength", "held", "origin")
    list_select_related = ("scope__owner", "scope__character")
    search_fields = ("=id", "=scope__owner__id", "scope__owner__username")
    fields = readonly_fields = (
        "id",
        "scope",
        "strength",
        "held",
        "origin",
        "unused_days",
        "last_counted_on",
        "last_matched_at",
        "from_character",
        "created_at",
        "updated_at",
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def delete_model(self, request: HttpRequest, obj: Memory) -> None:
        with transaction.atomic():
            memory = keeping.held(obj.scope.owner, obj.pk)
            keeping.drop(memory, MemoryChange.Kind.DELETED, by=MemoryChange.By.STAFF)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        for memory in queryset.select_related("scope__owner"):
            self.delete_model(request, memory)
