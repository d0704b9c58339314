"""The writing in pictures: scanned pages and photographs, read by RapidOCR, whose weights come in its package.

Its small model knows Latin letters, Japanese and Chinese. Nothing is fetched: each model is named by its file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from fathom.errors import Unreadable

INSTALL = "pip install 'fathom-research[ocr]'"
_LEAST_SURE = 0.6
"""How sure the model is of a line that is kept, from 0 to 1."""
LONGEST_SIDE = 2_000
"""Pixels; a page of A4 at 170 dots an inch. What is larger is made smaller, so that each takes a few seconds."""

Line = tuple[str, float, float, float, float]
"""Text, left, bottom, right and top, counted upwards from the lower left corner."""
_Axis = tuple[Callable[[Line], float], Callable[[Line], float], float]
"""Where a line begins and ends, and the least width of a gap that parts lines."""


def written(picture: Any) -> list[Line]:
    """The lines of writing in a picture of Pillow, column by column; in pixels.

    Raises:
        Unreadable: the extra is not installed, or the model has failed, most likely for want of memory.
    """
    read = engine()
    import numpy as np
    from rapidocr.inference_engine.onnxruntime.main import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        ONNXRuntimeError,
    )

    try:
        found = read(np.asarray(picture.convert("RGB"))[:, :, ::-1])
    except ONNXRuntimeError as error:
        raise Unreadable("its writing could not be recognised: the model ran out of memory or failed") from error
    if found.txts is None:
        return []
    lines: list[Line] = []
    for text, sure, box in zip(found.txts, found.scores, found.boxes, strict=True):
        if sure >= _LEAST_SURE and text.strip():
            xs, ys = [float(x) for x, _ in box], [picture.height - float(y) for _, y in box]
            lines.append((text.strip(), min(xs), min(ys), max(xs), max(ys)))
    return in_order(lines)


def in_order(lines: Sequence[Line]) -> list[Line]:
    """Lines as they are read: where nothing crosses a gutter the left side first, else what is above a gap first.

    >>> [line[0] for line in in_order([("c", 6, 0, 9, 1), ("b", 0, 0, 4, 1), ("head", 0, 4, 9, 5), ("a", 0, 2, 4, 3)])]
    ['head', 'a', 'b', 'c']
    """
    if len(lines) < 3:
        return sorted(lines, key=lambda line: (-line[2], line[1]))
    height = median(line[4] - line[2] for line in lines)
    across: _Axis = (lambda line: line[1], lambda line: line[3], height)
    down: _Axis = (lambda line: -line[4], lambda line: -line[2], 0.0)
    for begin, end, widest in (across, down):
        ordered = sorted(lines, key=begin)
        edge, cut = end(ordered[0]), 0
        for at, line in enumerate(ordered):
            if begin(line) - edge > widest:
                widest, cut = begin(line) - edge, at
            edge = max(edge, end(line))
        if cut:
            return [*in_order(ordered[:cut]), *in_order(ordered[cut:])]
    return sorted(lines, key=lambda line: (-line[2], line[1]))


@cache
def engine() -> Any:
    """What reads a picture.

    Raises:
        Unreadable: the extra is not installed.
    """
    try:
        import rapidocr  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise Unreadable(f"its pages are pictures: `{INSTALL}` has them read") from error
    models = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": LONGEST_SIDE,
            "Global.use_cls": False,
            "Rec.rec_batch_num": 1,  # lines of one batch are made as long as its longest
            "Det.model_path": str(next(models.glob("*_det_*.onnx"))),
            "Rec.model_path": str(next(models.glob("*_rec_*.onnx"))),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
