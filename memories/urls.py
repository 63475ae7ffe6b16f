from django.urls import path

from memories import acts, views

urlpatterns = [
    path("characters/<uuid:pk>/delete/", views.delete_character, name="character-delete"),
    path("memories/", views.memories, name="memory-list"),
    path("memories/with/<uuid:pk>/", views.memories_with, name="memory-with"),
    path("memories/activity/", views.journal, name="memory-activity"),
    path("memories/activity/with/<uuid:pk>/", views.journal_with, name="memory-activity-with"),
    path("memories/activity/<uuid:pk>/undo/", acts.undo, name="memory-undo"),
    path("memories/add/", acts.add, name="memory-add"),
    path("memories/learn/<uuid:pk>/", acts.learn, name="memory-learn"),
    path("memories/<uuid:pk>/", acts.edit, name="memory"),
    path("memories/<uuid:pk>/pin/", acts.pin, name="memory-pin"),
    path("memories/<uuid:pk>/unpin/", acts.unpin, name="memory-unpin"),
    path("memories/<uuid:pk>/make-global/", acts.make_global, name="memory-make-global"),
    path("memories/<uuid:pk>/delete/", acts.delete, name="memory-delete"),
]
