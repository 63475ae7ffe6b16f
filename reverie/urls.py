from django.contrib import admin
from django.urls import include, path

from reverie import health
from reverie.api import api

urlpatterns = [
    path("", include("conversations.urls")),
    path("", include("memories.urls")),
    path("", include("characters.urls")),
    path("", include("reverie.accounts.urls")),
    path("", include("reverie.providers.urls")),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
