from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "reverie.accounts"
    label = "accounts"
