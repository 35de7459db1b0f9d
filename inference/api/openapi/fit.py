"""How the served model fits, as `inference/api/fit.py` answers it."""

from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    array,
    boolean,
    integer,
    number,
    or_null,
    record,
    text,
)

_BYTES = integer("Bytes", minimum=0)
_TOKENS = integer("Tokens", minimum=0)
_RATE = number("Tokens a second of one sequence", minimum=0)

_FIT = Component(
    "Fit",
    record(
        members={
            "machine": record(
                members={
                    "chip": text("As people call it: `M4 Pro`"),
                    "ram_bytes": _BYTES,
                    "bandwidth_gbs": number("Gigabytes of weights read in a second"),
                }
            ),
            "context_tokens": integer("The longest context that is admitted"),
            "typical_context_tokens": integer("The same, or 8,192 if it is longer"),
            "typical_decode_tps": number("As predicted at the typical context"),
            "measured_decode_tps": or_null(number("As the last long answer came, if one did")),
            "measured_at": or_null(integer("Unix time in milliseconds")),
            "report": record(
                "At the longest context that is admitted",
                members={
                    "fits": boolean(),
                    "weights_bytes": _BYTES,
                    "kv_bytes": _BYTES,
                    "transient_bytes": _BYTES,
                    "total_bytes": _BYTES,
                    "usable_bytes": _BYTES,
                    "max_safe_context": _TOKENS,
                    "predicted_decode_tps": _RATE,
                },
            ),
            "sku_matrix_ctx": _TOKENS,
            "sku_matrix": array(
                record(
                    members={
                        "sku": text("Chip and memory: `M4 Pro 24 GB`"),
                        "ram_gb": integer(),
                        "fits": boolean(),
                        "max_context": _TOKENS,
                        "decode_tps": _RATE,
                    }
                ),
                "The model on machines that are sold",
            ),
        }
    ),
)

FIT = operation(
    "getFit",
    "Tell how the served model fits",
    "What it needs of this machine, how fast it should be and was, and the same elsewhere.",
    answers={200: answer("The assessment", _FIT), **REFUSED_READS},
)
