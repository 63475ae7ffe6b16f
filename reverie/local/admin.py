"""What the console must not offer: a schedule may name any function, so none is made there."""

from django.contrib import admin
from django_q.models import Schedule

admin.site.unregister(Schedule)
