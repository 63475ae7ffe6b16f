#!/usr/bin/env python
"""Reverie's command line: `python manage.py up` serves everything."""

import os
import sys

from reverie.local.failures import CannotStart


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reverie.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except CannotStart as problem:
        sys.exit(f"Reverie cannot start. {problem}")


if __name__ == "__main__":
    main()
