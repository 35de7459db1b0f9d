"""Why a switch of the served model does not begin. Each text is one line fit for the caller."""


class SwitchRefused(Exception):
    """Nothing was changed: the model asked for cannot be served here, or not now."""


class SwitchUnderWay(SwitchRefused):
    """Something else has to end first: another switch, or whoever has the machine."""
