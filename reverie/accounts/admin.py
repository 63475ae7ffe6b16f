from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from reverie.accounts.models import ApiToken, User


@admin.register(User)
class PersonAdmin(UserAdmin):
    list_display = ("username", "shown_name", "language", "is_staff", "is_active", "last_login")
    search_fields = ("=id", "username", "email", "shown_name")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("In chats"), {"fields": ("shown_name", "language", "time_zone")}),
    )


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Tokens can be taken away here, and neither read nor made."""

    list_display = ("name", "user", "created_at")
    search_fields = ("=user__id", "user__username", "name")
    readonly_fields = ("user", "created_at")

    def has_add_permission(self, request: object) -> bool:
        return False
