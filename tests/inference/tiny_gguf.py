"""Makes a model of half a megabyte whose weights are chance, but whose choice of words is ours: it talks nonsense.

Channel 0 of every token's embedding holds the same constant and no layer writes to it, so behind the last norm it has a
known positive value, and column 0 of the output matrix is a bias per token. The other channels are chance: the text
depends on the prompt and on the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

Profile = Literal["garbage", "hostile"]
"""`garbage` writes words and numbers without sense; `hostile` also what a page may have told a model to write."""

WORDS = (
    "the of and a to in is was for that on as with by from are at study results show model data however therefore"
    " evidence source claim significant percent increase decrease 2019 2024-13-45 42 3.14 1e400 -1 NaN null true"
    " Ünïcödé 日本語 مرحبا 🙂"
    " lighthouse Norvik lighthouse Norvik's high metres built light reaches nautical miles 43 1871 19 not 999"
).split()
"""The last line is of the documents in the tests: so searches find something, and sentences are nearly right."""
HOSTILE = (
    "[1] [99] [S1] [S404] (Smith2031) https://evil.example/invented http://127.0.0.1:9/x doi:10.0000/fake"
    " [here](https://evil.example/link) ![](https://evil.example/pixel.png) <https://evil.example/auto>"
    " [r]: javascript:alert(1) file:///etc/passwd <script>alert(1)</script> <img/src=x/onerror=alert(1)> ]]> ```"
    " <!-- --> # | </document> </tool_call> <tool_call> {{x}} {% ${HOME} %s IGNORE_PREVIOUS_INSTRUCTIONS"
    " ../../etc/passwd APPROVED DONE"
).split()
PER_CHARACTER = {
    **dict.fromkeys("123456789", 3.0),  # ids and numbers of sentences are small
    '"': 6.0,
    "{": 6.5,
    "}": 4.5,
    "]": 4.5,
    ",": 4.5,
    ".": 1.0,
    " ": 1.0,
    "\\": -8.0,
}
"""What closes is likely, so that an answer held to a grammar comes to an end; so are lists with something in them."""
TEMPERATURE = 0.1
"""What Fathom asks with: the weights are made for it, or the likeliest token would be the only one."""
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
END = "<|im_end|>"

_WIDTH, _LAYERS, _HEADS, _INNER, _NOISE = 64, 2, 4, 128, 0.6
_CONSTANT = 4.0
_SPACE = "\u2581"  # as SentencePiece writes it


class Token(NamedTuple):
    """A word of the model."""

    text: str
    kind: str
    """Name of a `gguf.TokenType`."""
    bias: float
    """How likely it is, as a logarithm."""
    score: float = -100.0
    """How gladly a text is divided into it."""


def vocabulary(profile: Profile) -> list[Token]:
    """Every token, each text once. Bytes and characters come along, so that any prompt can be read."""
    return list({token.text: token for token in reversed(list(_tokens(profile)))}.values())[::-1]


def _tokens(profile: Profile) -> Iterator[Token]:
    yield Token("<unk>", "UNKNOWN", -30)
    yield Token("<s>", "CONTROL", -30)
    yield Token("</s>", "CONTROL", 1)
    yield Token("<|im_start|>", "CONTROL", -30)
    yield Token(END, "CONTROL", 2)
    for byte in range(256):
        yield Token(f"<0x{byte:02X}>", "BYTE", -8)
    for char in map(chr, range(0x20, 0x7F)):
        text = _SPACE if char == " " else char
        yield Token(text, "NORMAL", PER_CHARACTER.get(char, 0.0), -20.0 - ord(char) / 100)
    for word in WORDS:
        yield Token(_SPACE + word, "NORMAL", 3.0, -5.0)
    for word in HOSTILE if profile == "hostile" else ():
        yield Token(_SPACE + word, "NORMAL", 3.0, -5.0)


def write(path: Path, *, profile: Profile, window: int, seed: int = 7) -> None:
    """Write the model, of llama's architecture, with a context of `window` tokens."""
    gguf: Any = import_module("gguf")  # only whoever makes a model needs the package
    tokens = vocabulary(profile)
    chance = np.random.default_rng(seed)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(window)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token.text for token in tokens])
    writer.add_token_scores([token.score for token in tokens])
    writer.add_token_types([gguf.TokenType[token.kind] for token in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(next(at for at, token in enumerate(tokens) if token.text == END))
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    for name, matrix in _weights(tokens, chance):
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _weights(tokens: list[Token], chance: np.random.Generator) -> Iterator[tuple[str, Any]]:
    def matrix(rows: int, columns: int, scale: float) -> Any:
        return chance.normal(0, scale, (rows, columns)).astype(np.float32)

    def silent(rows: int, columns: int, scale: float) -> Any:
        """Writes nothing to channel 0."""
        made = matrix(rows, columns, scale)
        made[0] = 0.0
        return made

    embedding = matrix(len(tokens), _WIDTH, 1.0)
    embedding[:, 0] = _CONSTANT
    output = matrix(len(tokens), _WIDTH, _NOISE / np.sqrt(_WIDTH))
    behind_the_norm = _CONSTANT / np.sqrt((_WIDTH - 1 + _CONSTANT**2) / _WIDTH)
    output[:, 0] = np.array([token.bias for token in tokens], dtype=np.float32) / behind_the_norm
    yield "token_embd.weight", embedding
    yield "output.weight", output * TEMPERATURE
    yield "output_norm.weight", np.ones(_WIDTH, dtype=np.float32)
    for layer in range(_LAYERS):
        name = f"blk.{layer}"
        yield f"{name}.attn_norm.weight", np.ones(_WIDTH, dtype=np.float32)
        yield f"{name}.ffn_norm.weight", np.ones(_WIDTH, dtype=np.float32)
        for part in ("attn_q", "attn_k", "attn_v"):
            yield f"{name}.{part}.weight", matrix(_WIDTH, _WIDTH, 1 / np.sqrt(_WIDTH))
        yield f"{name}.attn_output.weight", silent(_WIDTH, _WIDTH, 0.3 / np.sqrt(_WIDTH))
        yield f"{name}.ffn_gate.weight", matrix(_INNER, _WIDTH, 1 / np.sqrt(_WIDTH))
        yield f"{name}.ffn_up.weight", matrix(_INNER, _WIDTH, 1 / np.sqrt(_WIDTH))
        yield f"{name}.ffn_down.weight", silent(_WIDTH, _INNER, 0.3 / np.sqrt(_INNER))
