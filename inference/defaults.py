"""Fills in what a request leaves open.

Precedence: the request, the operator's flags, the model author's generation_config.json, a
fallback. Pure: the service asks, and acts on the answers.
"""

import secrets
from dataclasses import asdict, dataclass, replace

from inference.model_info import GenerationDefaults
from inference.request import (
    DEFAULT_CURVE,
    ChatPrompt,
    SamplingChoice,
    SamplingParams,
    ToneCurve,
    ToneCurveChoice,
)
from inference.text.thinking import thinking_options, thinks_by_default

FALLBACK_TEMPERATURE = 0.7
# A turn without thinking is drawn no hotter than this, unless the caller names a temperature.
DIRECT_TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True)
class RequestDefaults:
    """The defaults of one model under one set of flags.

    sampling: the operator's values over the author's.
    thinking: the operator's; None leaves it to the model.
    curve, curve_enabled: the tone curve's values, and whether it is used unless asked.
    chat_template, model_type: the model's.
    """

    sampling: GenerationDefaults
    thinking: bool | None
    chat_template: str
    model_type: str
    curve: ToneCurve = DEFAULT_CURVE
    curve_enabled: bool = False

    def decide_thinking(self, prompt: ChatPrompt) -> bool | None:
        """Return whether the model thinks; None leaves it to its template."""
        for choice in (prompt.thinking, self.thinking, thinks_by_default(self.model_type)):
            if choice is not None:
                return choice
        return None

    def complete(self, prompt: ChatPrompt) -> ChatPrompt:
        """Return the prompt with what the template is to know of thinking.

        A template option that the caller named goes before one that follows from a level.
        """
        thinking = self.decide_thinking(prompt)
        options = thinking_options(self.chat_template, thinking, prompt.effort)
        return replace(prompt, template_options={**options, **prompt.template_options})

    def choose_sampling(self, choice: SamplingChoice, *, thinking: bool | None) -> SamplingParams:
        """Return sampling parameters with every field decided, a random seed among them."""
        given = {name: value for name, value in asdict(self.sampling).items() if value is not None}
        params = replace(SamplingParams(temperature=FALLBACK_TEMPERATURE), **given)
        if thinking is False:
            params = replace(params, temperature=min(params.temperature, DIRECT_TEMPERATURE))
        wish = choice.tone_curve or ToneCurveChoice()
        curve = wish.over(self.curve, enabled=self.curve_enabled)
        return choice.over(replace(params, tone_curve=curve, seed=secrets.randbits(64)))
