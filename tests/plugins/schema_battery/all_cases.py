"""The whole battery."""

from tests.plugins.schema_battery import (
    arrays,
    clients,
    combinations,
    objects,
    references,
    scalars,
    strings,
)

BATTERY = [
    *scalars.CASES,
    *strings.CASES,
    *arrays.CASES,
    *objects.CASES,
    *combinations.CASES,
    *references.CASES,
    *clients.CASES,
]
