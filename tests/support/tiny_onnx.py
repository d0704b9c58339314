"""A model of a few kilobytes, in the shape of those that people have: it looks up a vector for each word."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ("[PAD]", "[UNK]", "[CLS]", "the", "sea", "is", "deep", "water", "what", "bread", "costs", "fathom")
DIMENSIONS = 8


def tiny_model(folder: Path, *, value: float | None = None, vocabulary: int = len(WORDS)) -> Path:
    """A folder with the model, without tokenizer_config.json; with `value` all its vectors hold nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)
    if value is not None:
        table[:] = value
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", DIMENSIONS])],
        [numpy_helper.from_array(table, "table")],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(folder / "model.onnx")
    )
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 2)])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"vocab_size": vocabulary}), encoding="utf-8")
    return folder
