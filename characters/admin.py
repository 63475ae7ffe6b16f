from django.contrib import admin

from characters.models import Bond, Character, Persona


class OwnedAdmin(admin.ModelAdmin):
    """Who has what, since when. What people wrote into it stays with them."""

    list_display = ("name", "owner", "created_at")
    search_fields = ("=id", "=owner__id", "owner__username", "name")
    fields = readonly_fields = ("id", "name", "owner", "created_at", "updated_at")

    def has_add_permission(self, request: object) -> bool:
        return False


admin.site.register([Character, Persona], OwnedAdmin)


@admin.register(Bond)
class BondAdmin(admin.ModelAdmin):
    list_display = ("user", "character", "learns", "memory_detail", "updated_at")
    search_fields = ("=user__id", "user__username", "=character__id", "character__name")
    fields = readonly_fields = ("user", "character", "learns", "memory_detail", "updated_at")

    def has_add_permission(self, request: object) -> bool:
        return False
