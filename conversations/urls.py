from django.urls import path

from conversations import views

urlpatterns = [
    path("", views.home, name="home"),
    path("chats/", views.chats, name="chat-list"),
    path("chats/new/", views.new_chat, name="chat-new"),
    path("chats/<uuid:pk>/", views.chat, name="chat"),
    path("chats/<uuid:pk>/edit/", views.edit_chat, name="chat-edit"),
    path("chats/<uuid:pk>/delete/", views.delete_chat, name="chat-delete"),
    path("chats/<uuid:pk>/replies/<uuid:reply>/prompt/", views.prompt, name="reply-prompt"),
]
