"""Pages and pieces of what is remembered."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from characters.models import Character
from memories import moving
from memories.models import Memory
from reverie.accounts.middleware import PersonRequest

asks = require_http_methods(["GET", "HEAD", "POST"])


@login_required
@asks
def delete_character(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Deleting a character moves its memories to global, and says so before (D12)."""
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    if request.method != "POST":
        mine = Memory.objects.of(request.user).within(character)
        context = {"character": character, "moving": mine.count()}
        return render(request, "characters/delete.html", context)
    moving.delete_character(character)
    messages.success(request, _("%(name)s is deleted.") % {"name": character.name})
    return redirect("character-list")
