from django.apps import AppConfig
from django.contrib.admin import apps as admin


class AccountsConfig(AppConfig):
    name = "reverie.accounts"
    label = "accounts"


class ConsoleConfig(admin.AdminConfig):
    default = False  # of this package: the settings name it
    default_site = "reverie.accounts.console.Console"
