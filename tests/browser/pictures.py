"""`python -m tests.browser.pictures` takes the pictures for the README, of what scenes.py plays."""

import sys
from pathlib import Path

import pytest

SCENES = Path(__file__).with_name("scenes.py")

if __name__ == "__main__":
    sys.exit(pytest.main(["-n", "0", str(SCENES)]))
