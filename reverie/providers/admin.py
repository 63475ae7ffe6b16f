from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from . import connecting
from .models import ConnectedModel

Rows = QuerySet[ConnectedModel]


@admin.register(ConnectedModel)
class ConnectedModelAdmin(admin.ModelAdmin):
    """Which models there are. They are connected on their own page; a key is never here (A9)."""

    list_display = ("__str__", "kind", "model", "enabled", "is_default", "tested_at", "trouble")
    list_filter = ("enabled", "kind")
    search_fields = ("=id", "label", "model")
    fields = readonly_fields = (
        "id",
        "kind",
        "label",
        "base_url",
        "model",
        "context_tokens",
        "price_sent",
        "price_cached",
        "price_written",
        "enabled",
        "is_default",
        "takes_tools",
        "tested_at",
        "trouble",
        "created_at",
        "updated_at",
    )
    actions = ("switch_on", "switch_off", "make_default")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description=_("Let people choose them"), permissions=["change"])
    def switch_on(self, request: HttpRequest, rows: Rows) -> None:
        for row in rows:
            connecting.switch(row.pk, True)

    @admin.action(description=_("Let nobody choose them any more"), permissions=["change"])
    def switch_off(self, request: HttpRequest, rows: Rows) -> None:
        for row in rows:
            connecting.switch(row.pk, False)

    @admin.action(description=_("Make the default"), permissions=["change"])
    def make_default(self, request: HttpRequest, rows: Rows) -> None:
        """The first of those that are marked."""
        try:
            connecting.make_default(rows[0].pk)
        except ValidationError as refusal:
            self.message_user(request, " ".join(refusal.messages), messages.ERROR)
