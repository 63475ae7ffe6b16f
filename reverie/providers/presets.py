"""Where people mostly get models from: the address to begin with, and what to know."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Preset:
    kind: str
    name: Promise | str
    base_url: str
    advice: Promise | str


PRESETS: Final = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        _("Make a key under “API keys” at platform.openai.com. It is paid per token."),
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        _(
            "One key for hundreds of models. Names look like “maker/model”. What a reply costs is"
            " told by OpenRouter itself, so prices may stay empty."
        ),
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://127.0.0.1:11434/v1",
        _(
            "On your own machine, without a key. The context is what Ollama was started with"
            " (OLLAMA_CONTEXT_LENGTH), which is often less than the model could read."
        ),
    ),
    Preset(
        "llamacpp",
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        _("On your own machine: llama-server. Give the context it was started with (-c)."),
    ),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        _("On your own machine: start its local server, and give the context set there."),
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://127.0.0.1:8000/v1",
        _(
            "Your own server. For tool calls start it with --enable-auto-tool-choice and the"
            " model’s parser."
        ),
    ),
    Preset(
        "other",
        _("Another one"),
        "",
        _("Anything that speaks OpenAI’s protocol. The address mostly ends in /v1."),
    ),
)
KINDS: Final = {preset.kind: preset for preset in PRESETS}
