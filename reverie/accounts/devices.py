"""What a browser says that it is, in words that its owner recognises."""

BROWSERS = {  # In this order: most of them call themselves by their neighbours' names too.
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def told(user_agent: str) -> tuple[str, str]:
    """Browser and system; an empty text where it does not say."""
    return _first(BROWSERS, user_agent), _first(SYSTEMS, user_agent)


def _first(names: dict[str, str], user_agent: str) -> str:
    return next((name for sign, name in names.items() if sign in user_agent), "")
