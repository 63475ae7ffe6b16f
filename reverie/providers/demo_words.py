"""What the demo says, in the languages it speaks. It is a model's talk, so no catalogue has it."""

from typing import Final

# {char}, {user}, {said}, {fact}, {facts} are filled in; several lines of a kind take turns.
WORDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "hello": (
            "*{char} looks up and smiles.* Hello, {user}! How good to see you. "
            "What is on your mind today?",
            "*{char} waves.* There you are, {user}. Sit down and tell me how your day was.",
        ),
        "fact": (
            "*{char} nods slowly.* {fact}. Thank you for telling me, {user}. "
            "Ask me later what I remember, and I will bring it up.",
            "{fact}: I am glad to know that about you, {user}. Is there a story behind it?",
        ),
        "asked": (
            "*{char} thinks for a moment.* You ask “{said}”. That deserves a real answer, "
            "{user}, and I am only the demo's voice. What do you think yourself?",
            "“{said}” is a good question. I would love to puzzle over it with you, {user}. "
            "Where would you begin?",
        ),
        "said": (
            "*{char} listens closely.* “{said}” … I hear you, {user}. Tell me more about it.",
            "“{said}”, you say. *{char} tilts their head.* And how did that feel, {user}?",
            "*{char} leans in.* “{said}” … go on, {user}, I have time.",
        ),
        "remember": (
            "*{char} counts on their fingers.* This is what I remember about you, {user}:"
            "\n\n{facts}",
        ),
        "blank": (
            "You have not told me much about yourself yet, {user}. Tell me your name or what "
            "you like, and then ask me again.",
        ),
        "continue": ("*{char} pauses, then goes on.* I am still here, {user}. Where were we?",),
        "label": ("*— demo, no AI: connect a model, and {char} will really answer you.*",),
        "char": ("your companion",),
        "user": ("my friend",),
    },
    "ja": {
        "hello": (
            "*{char}が顔を上げてほほえむ。* こんにちは、{user}。会えてうれしいです。"
            "今日はどんなお話をしましょうか。",
            "*{char}が手を振る。* 来てくれたんですね、{user}。"
            "どうぞ座って、今日のことを聞かせてください。",
        ),
        "fact": (
            "*{char}がゆっくりうなずく。* {fact}ですね。話してくれてありがとう、{user}。"
            "あとで「何を覚えてる？」と聞いてみてください。",
            "{fact}。{user}のことがひとつわかって、うれしいです。何かきっかけがあったんですか？",
        ),
        "asked": (
            "*{char}が少し考える。* 「{said}」……ちゃんとお答えしたい質問です。"
            "でも今の私はデモの声なので、{user}の考えを先に聞かせてください。",
            "「{said}」、いい質問ですね。{user}なら、どこから考え始めますか？",
        ),
        "said": (
            "*{char}がじっと耳を傾ける。* 「{said}」……うん、聞いていますよ、{user}。"
            "もう少し教えてください。",
            "「{said}」、そうなんですね。*{char}が首をかしげる。* そのとき、どんな気持ちでしたか？",
            "*{char}が身を乗り出す。* 「{said}」……続きを聞かせてください、{user}。"
            "時間はたっぷりあります。",
        ),
        "remember": (
            "*{char}が指を折って数える。* {user}について覚えているのは、こんなことです。"
            "\n\n{facts}",
        ),
        "blank": (
            "{user}のことは、まだあまり聞いていません。お名前や好きなものを教えてから、"
            "もう一度聞いてみてくださいね。",
        ),
        "continue": (
            "*{char}がひと息おいて、また話しはじめる。* ここにいますよ、{user}。"
            "どこまで話しましたっけ？",
        ),
        "label": ("*— デモです（AIではありません）。モデルをつなぐと、{char}が本当に答えます。*",),
        "char": ("わたし",),
        "user": ("あなた",),
    },
}
