"""Weights to train further from an encoder that was exported: from_exported.py --encoder models/encoder --out FOLDER

The int8 weights times their scales, with what the export folded into them (smoothing, the attention's divisor) taken
out again. FOLDER is what train_retriever.py --source takes.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

from encoder_graph import layer_key

LINEAR = {
    "attention.self.query": "in",
    "attention.self.key": "in",
    "attention.self.value": "in",
    "attention.output.dense": "ctx",
    "intermediate.dense": "mid",
    "output.dense": "gelu",
}


def unquantised(found: dict[str, np.ndarray], heads: int) -> dict[str, np.ndarray]:
    """
    Weights by the names that BERT has for them, fp32, from the constants of an int8 graph of encoder_graph.py.
    Token types stand in the positions already, so theirs are zero.
    """
    layers = 1 + max(int(name.split(".")[2]) for name in found if name.startswith("encoder.layer."))
    words = found["words.q"].astype(np.float32) * found["words.scale"]
    hidden = words.shape[1]
    made = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": found["positions"],
        "embeddings.token_type_embeddings.weight": np.zeros((2, hidden), np.float32),
    }
    norms = ["embeddings.LayerNorm"]
    for i in range(layers):
        norms += [layer_key(i, "attention.output.LayerNorm"), layer_key(i, "output.LayerNorm")]
        for name, site in LINEAR.items():
            key = layer_key(i, name)
            weight = found[key + ".q"].astype(np.float32) * found[key + ".scale"]
            bias = found[key + ".bias"]
            inverse = found.get(f"{i}.{site}.smooth")
            if inverse is not None:
                weight = weight * inverse[:, None]
            if name == "attention.self.query":
                factor = np.float32(math.sqrt(hidden / heads))
                weight, bias = weight * factor, bias * factor
            made[key + ".weight"], made[key + ".bias"] = weight.T, bias
    for key in norms:
        made[key + ".weight"], made[key + ".bias"] = found[key + ".weight"], found[key + ".bias"]
    return {name: np.ascontiguousarray(value, np.float32) for name, value in made.items()}


def bert_config(weights: dict[str, np.ndarray], heads: int, epsilon: float) -> dict[str, object]:
    """config.json of a BERT with these weights, as transformers reads it."""
    words = weights["embeddings.word_embeddings.weight"]
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": words.shape[0],
        "hidden_size": words.shape[1],
        "num_hidden_layers": sum(name.endswith("intermediate.dense.weight") for name in weights),
        "num_attention_heads": heads,
        "intermediate_size": weights[layer_key(0, "intermediate.dense") + ".weight"].shape[0],
        "max_position_embeddings": weights["embeddings.position_embeddings.weight"].shape[0],
        "type_vocab_size": 2,
        "layer_norm_eps": epsilon,
    }


def write(encoder: Path, out: Path) -> None:
    """Exits where ENCODER holds no int8 graph that export_encoder.py wrote."""
    file = encoder / "model.onnx"
    if not file.is_file():
        raise SystemExit(f"{encoder} has no model.onnx: it is no exported encoder.")
    model = onnx.load(str(file))
    found = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    shapes = [name for name in found if name.startswith("ints.0.0.") and name.count(".") == 4]
    if "words.q" not in found or not shapes:
        raise SystemExit(f"{file} is no int8 graph of export_encoder.py.")
    heads = int(shapes[0].split(".")[3])
    norm = next(n for n in model.graph.node if n.op_type == "LayerNormalization")
    epsilon = next(a.f for a in norm.attribute if a.name == "epsilon")
    weights = unquantised(found, heads)
    out.mkdir(parents=True, exist_ok=True)
    save_file(weights, str(out / "model.safetensors"))
    described = json.dumps(bert_config(weights, heads, round(epsilon, 14)), indent=2)
    (out / "config.json").write_text(described + "\n", encoding="utf-8")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(encoder / name, out / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True, help="folder that export_encoder.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    write(args.encoder, args.out)
    print(f"{args.out}: weights to train further")


if __name__ == "__main__":
    main()
