from django.urls import path

from characters import views

urlpatterns = [
    path("characters/", views.characters, name="character-list"),
    path("characters/new/", views.new_character, name="character-new"),
    path("characters/import/", views.import_card, name="card-import"),
    path("characters/weigh/", views.weigh, name="character-weigh"),
    path("characters/drafts/<uuid:pk>/", views.card_draft, name="card-draft"),
    path("characters/drafts/<uuid:pk>/picture/", views.draft_picture, name="card-draft-picture"),
    path("characters/<uuid:pk>/", views.character, name="character"),
    path("characters/<uuid:pk>/bond/", views.bond, name="character-bond"),
    path("characters/<uuid:pk>/duplicate/", views.duplicate_character, name="character-duplicate"),
    path("characters/<uuid:pk>/export/", views.export_character, name="character-export"),
    path("characters/<uuid:pk>/avatar/", views.avatar, name="character-avatar"),
    path("personas/", views.personas, name="persona-list"),
    path("personas/new/", views.new_persona, name="persona-new"),
    path("personas/<uuid:pk>/", views.persona, name="persona"),
    path("personas/<uuid:pk>/delete/", views.delete_persona, name="persona-delete"),
]
