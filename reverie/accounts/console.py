"""Who comes into the console: staff with a second factor, by the door that everybody has."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

APP = [Authenticator.Type.TOTP]


class Console(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and is_mfa_enabled(request.user, APP)

    @method_decorator(never_cache)
    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Throttled and with codes, so of its own it only sends on; strangers sign in before."""
        if self.has_permission(request):
            return redirect("admin:index")
        said = _("The console asks for a second factor. Set one up; then you are let in.")
        messages.info(request, said)
        return redirect("mfa_activate_totp")
