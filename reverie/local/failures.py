"""How the machine says that it cannot start."""


class CannotStart(Exception):  # noqa: N818  # it is an outcome, told to a person
    """Reverie cannot start here; the message is one plain sentence for the person who tried."""
