"""JSON schemas: made from an example, put together, and the numbers that they allow."""

from __future__ import annotations

import copy
import math
from typing import Any


def schema_of(example: Any) -> dict[str, Any]:
    """The schema of which a value is an example.

    >>> schema_of({"queries": ["a", "b"]})["properties"]["queries"]["minItems"]
    2
    """
    match example:
        case dict():
            properties = {name: schema_of(value) for name, value in example.items()}
            return {"type": "object", "properties": properties, "required": list(properties)}
        case list():
            count = min(len(example), 3)
            return {"type": "array", "items": schema_of(example[0]) if example else {}, "minItems": count}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case None:
            return {"type": "null"}
        case _:
            return {"type": "string"}


def number(schema: dict[str, Any], *, whole: bool) -> Any:
    """The smallest number within bounds that is not below 1, if there is one."""
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
    step: Any = schema.get("multipleOf") or (1 if whole else None)
    if whole and step != int(step):
        step = 1 if (1 / step).is_integer() else step
    if step:
        bottom = math.ceil(max(low, above) / step) if max(low, above) > -math.inf else -math.inf
        bottom += bottom * step <= above
        top = math.floor(min(high, below) / step) if min(high, below) < math.inf else math.inf
        top -= top * step >= below
        found = min(max(1, bottom), top) * step
        return int(found) if whole or float(found).is_integer() else found
    if low <= 1 <= high and above < 1 < below:
        return 1
    if max(low, above) > -math.inf and min(high, below) < math.inf:
        return low if low > above and low < below else (max(low, above) + min(high, below)) / 2
    if max(low, above) > -math.inf:
        return low if low > above else above + 1
    return high if high < below else below - 1


def merged(one: dict[str, Any], other: Any) -> dict[str, Any]:
    """Both schemas at once, as far as they can be put together."""
    if not isinstance(other, dict):
        return one
    both = copy.copy(one)
    for key, value in other.items():
        held = both.get(key)
        if key == "properties" and isinstance(held, dict):
            both[key] = {**held, **value}
        elif key in {"required", "allOf"} and isinstance(held, list):
            both[key] = [*held, *(each for each in value if each not in held)]
        elif key in {"minimum", "minLength", "minItems", "exclusiveMinimum", "minProperties"} and held is not None:
            both[key] = max(held, value)
        elif key in {"maximum", "maxLength", "maxItems", "exclusiveMaximum", "maxProperties"} and held is not None:
            both[key] = min(held, value)
        else:
            both[key] = value
    return both
