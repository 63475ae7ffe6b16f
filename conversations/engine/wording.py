"""What the product itself says to a model, in the language of the talk (D21)."""

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "instructions": (
            "You are {{char}}, talking to {{user}}. Write {{char}}'s next reply in this talk."
            " Stay in character, speak only for {{char}}, and never speak or decide for {{user}}."
            " Write in English unless {{user}} asks for another language."
        ),
        "description": "About {{char}}:",
        "personality": "{{char}}'s personality:",
        "scenario": "The situation:",
        "example_dialogue": "How {{char}} talks:",
        "persona": "Who {{user}} is:",
        "bond": "What is between {{char}} and {{user}}:",
        "time": "The time for {{user}} is",
    },
    "ja": {
        "instructions": (
            "あなたは{{char}}です。ユーザーの名前は{{user}}です。二人の会話で、{{char}}の次の発言を書いてください。"
            "役になりきり、{{char}}としてだけ話し、{{user}}の発言や行動を勝手に決めないでください。"
            "{{user}}が別の言語を求めないかぎり、日本語で書いてください。"
        ),
        "description": "{{char}}について：",
        "personality": "{{char}}の性格：",
        "scenario": "いまの状況：",
        "example_dialogue": "{{char}}の話し方：",
        "persona": "{{user}}について：",
        "bond": "{{char}}と{{user}}の関係：",
        "time": "{{user}}のいまの日時：",
    },
}


def wording(language: str) -> dict[str, str]:
    """The words of a language; English for one that we do not write."""
    return WORDS.get(language, WORDS["en"])
