from django.urls import path

from conversations import views

urlpatterns = [
    path("", views.home, name="home"),
    path("chats/", views.chats, name="chat-list"),
    path("chats/new/", views.new_chat, name="chat-new"),
    path("chats/deleted/", views.deleted_chats, name="chat-trash"),
    path("chats/<uuid:pk>/", views.chat, name="chat"),
    path("chats/<uuid:pk>/edit/", views.edit_chat, name="chat-edit"),
    path("chats/<uuid:pk>/settings/", views.chat_settings, name="chat-settings"),
    path("chats/<uuid:pk>/delete/", views.delete_chat, name="chat-delete"),
    path("chats/<uuid:pk>/restore/", views.restore_chat, name="chat-restore"),
    path("chats/<uuid:pk>/erase/", views.erase_chat, name="chat-erase"),
    path("chats/<uuid:pk>/export.txt", views.export, {"form": "text"}, name="chat-text"),
    path("chats/<uuid:pk>/export.json", views.export, {"form": "json"}, name="chat-json"),
    path("chats/<uuid:pk>/budget/", views.budget, name="chat-budget"),
    path("chats/<uuid:pk>/story/", views.story, name="chat-story"),
    path("chats/<uuid:pk>/replies/<uuid:reply>/prompt/", views.prompt, name="reply-prompt"),
    path("usage/", views.usage_page, name="usage"),
    path("limits/", views.limits_page, name="limits"),
]
