"""Writes the reranker that Ratio ships: python models/training/export_reranker.py --run DIR --out models/reranker

RUN is train_reranker.py's --out. With --data the ONNX models are compared with the trained ones on
validation queries, through the whole chain (local, graph, global).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from calibrate import session, sites
from export_encoder import HERE, read, write_json
from rerank_batches import Row, chunks, collate, joined, row_of
from rerank_card import LICENCE, card
from rerank_corpus import PROMPTS
from rerank_graph import GraphSettings, sentence_graph
from rerank_local import LocalScorer
from rerank_model import BLEND, FEATURES, PASSAGE_COSINE, Global
from rerank_onnx import global_graph, local_graph
from rerank_passages import Limits
from rerank_scores import entries_of, some
from rerank_store import Examples

LARGEST = 40_000_000
LIMITS = Limits()


def sha(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def calibration_inputs(scorer: LocalScorer) -> list[list[int]]:
    """Joint inputs of calibration sentences, a query of every move among them."""
    lines = (HERE / "calibration.txt").read_text(encoding="utf-8").splitlines()
    tokenizer = scorer.tower.tokens
    tokenizer.no_truncation()
    prompts = list(PROMPTS.values())
    out = []
    for n, at in enumerate(range(0, len(lines) - 5, 5)):
        query, *sentences = lines[at : at + 5]
        encoded = [
            np.array(e.ids) for e in tokenizer.encode_batch([prompts[n % 4] + query, *sentences], add_special_tokens=False)
        ]
        row = Row(encoded[0], encoded[1:], np.zeros((len(sentences), 4), np.float32))
        out.append(joined(row, scorer.cls, scorer.sep, LIMITS)[0])
    return out


def graph_of(run: Path) -> tuple[Global, GraphSettings]:
    """The best global model of a stage's folder, ready to infer, and the settings of its graph."""
    kept = torch.load(run / "best.pt", weights_only=False)
    model = Global(**kept["settings"])
    model.load_state_dict(kept["state"])
    return model.eval(), GraphSettings(**kept["graph"])


def arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """A module's weights by torch's names, fp32."""
    return {name: value.detach().float().numpy() for name, value in module.state_dict().items()}


class Chain:
    """Local, graph and global in ONNX, as the engine runs them."""

    def __init__(self, local: bytes, whole: bytes, scorer: LocalScorer, settings: GraphSettings):
        self.local, self.whole = session(local), session(whole)
        self.scorer, self.settings = scorer, settings

    def run(self, rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Local logits, global logits and roles of all sentences, in order."""
        made = [joined(row, self.scorer.cls, self.scorer.sep, LIMITS) for row in rows]
        parts: list = [None] * len(rows)
        for places in chunks([len(ids) for ids, _ in made]):
            batch = collate([rows[i] for i in places], [made[i] for i in places])
            given = {
                "input_ids": batch.ids,
                "attention_mask": batch.mask,
                "spans": batch.spans,
                "features": batch.features,
            }
            out = self.local.run(["local", "roles", "hidden"], {k: v.numpy() for k, v in given.items()})
            for k, i in enumerate(places):
                parts[i] = [o[k, : len(rows[i].sentences)] for o in out]
        local, roles, hidden = (np.concatenate(column) for column in zip(*parts))
        return local, self.rerank(rows, local, roles, hidden), roles

    def rerank(self, rows: list[Row], local: np.ndarray, roles: np.ndarray, hidden: np.ndarray) -> np.ndarray:
        """
        Global logits (n) of all sentences of the rows, from the local model's outputs: logits (n), roles (n, 3), hidden (n, d).
        """
        passage = np.repeat(np.arange(len(rows)), [len(row.sentences) for row in rows])
        score = (1 / (1 + np.exp(-local))).astype(np.float32)
        graph = sentence_graph(hidden, roles, score, passage, self.settings)
        features = np.concatenate([row.features for row in rows])
        given = {
            "hidden": hidden,
            "roles": roles,
            "local": score,
            "features": features,
            "neighbours": graph.neighbours,
            "relations": graph.relations,
            "valid": graph.valid,
        }
        return self.whole.run(["score"], given)[0]


class Trained:
    """The same chain in torch, in fp32."""

    def __init__(self, scorer: LocalScorer, model: Global, settings: GraphSettings):
        scorer.tower.model.float()
        scorer.tower.load(scorer.tower.masters)
        self.scorer, self.model, self.settings = scorer, model, settings

    def run(self, rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same as `Chain.run`."""
        with torch.inference_mode():
            flat = self.scorer.run(rows)
            local, roles, hidden = flat.local.numpy(), flat.role_logits.softmax(-1).numpy(), flat.hidden.numpy()
            passage = np.repeat(np.arange(len(rows)), [len(row.sentences) for row in rows])
            score = (1 / (1 + np.exp(-local))).astype(np.float32)
            graph = sentence_graph(hidden, roles, score, passage, self.settings)
            given = (hidden, roles, score, np.concatenate([row.features for row in rows]))
            edges = (graph.neighbours, graph.relations, graph.valid)
            whole = self.model(*[torch.from_numpy(a) for a in (*given, *edges)]).numpy()
        return local, whole, roles


def agreement(trained: Trained, chain: Chain, examples: Examples, per_move: int, most: int) -> dict[str, float]:
    """How alike the two chains score: correlations a query, and whether the ten best are the same."""
    told: dict[str, list[float]] = {name: [] for name in ("local", "global", "sameTen", "sharedTen", "sameFirst", "roles")}
    seconds = 0.0
    for e in some(examples, per_move):
        passages, _ = entries_of(examples, e, most)
        rows = [row_of(examples, e, p) for p in passages]
        wanted = trained.run(rows)
        clock = time.time()
        got = chain.run(rows)
        seconds += time.time() - clock
        for name, a, b in zip(("local", "global"), wanted, got):
            told[name].append(float(np.corrcoef(a, b)[0, 1]))
        tens = [np.argsort(-s[1], kind="stable")[:10].tolist() for s in (wanted, got)]
        shared = len(set(tens[0]) & set(tens[1]))
        told["sharedTen"].append(shared / min(10, len(tens[0])))
        told["sameTen"].append(shared == len(tens[0]))
        told["sameFirst"].append(tens[0][0] == tens[1][0])
        told["roles"].append(float((wanted[2].argmax(-1) == got[2].argmax(-1)).mean()))
    out = {name: round(float(np.mean(values)), 4) for name, values in told.items()}
    return out | {"queries": len(told["local"]), "secondsEach": round(seconds / max(1, len(told["local"])), 3)}


def same_encoder(encoder: str, data: Path) -> None:
    """
    Exits unless the examples in `data` were made with the weights that `encoder` was exported from: its id (export_encoder.py)
    holds the first digits of their hash, of which settings.json (rerank_data.py) holds all.
    """
    file = data / "settings.json"
    if not file.exists():
        raise SystemExit(f"{file} is missing: --data names the folder that rerank_data.py wrote.")
    used = str(json.loads(file.read_text())["encoder"])
    revision = re.search(r"-([0-9a-f]{12})-[0-9a-f]{6}$", encoder)
    if revision is None or not used.startswith(revision[1]):
        raise SystemExit(
            f"{data} was made with an encoder whose weights' hash begins with {used[:12]}, which is not {encoder}: "
            "its cosines are not those that the reranker will be given. Name that encoder's export with --encoder."
        )


def export(run: Path, name: str, out: Path, encoder: str | None = None) -> dict[str, bytes]:
    """Writes OUT and returns the models, the fp32 local one among them; `encoder`: id of the retriever's export."""
    local, (model, settings) = run / "local" / "best", graph_of(run / name)
    if not (settings.adjacency and settings.similarity):
        raise SystemExit(
            f"{run / name} was trained without edges of adjacency or similarity (--no-graph, --no-adjacency or --no-similarity), "
            "which the engine always draws: scores would not be those measured. Export a run with both (--name)."
        )
    scorer = LocalScorer.load(local)
    if not (scorer.joint and scorer.heads.with_roles):
        raise SystemExit(
            f"{local} was trained with --no-joint or --no-roles, but the exported model encodes sentences jointly and has "
            "roles: scores would not be those measured. Export a run with neither."
        )
    weights, shape = read(local)
    heads = arrays(scorer.heads)
    found = sites(weights, shape, calibration_inputs(scorer))
    made = {
        "local.onnx": local_graph(weights, shape, heads, "int8", found).SerializeToString(deterministic=True),
        "global.onnx": global_graph(arrays(model), model.settings).SerializeToString(deterministic=True),
    }
    size = sum(map(len, made.values()))
    if size > LARGEST:
        raise SystemExit(f"The models have {size:,} bytes together; at most {LARGEST:,} may ship.")
    out.mkdir(parents=True, exist_ok=True)
    for file, data in made.items():
        (out / file).write_bytes(data)
    described = json.loads((local / "tokenizer.json").read_text(encoding="utf-8"))
    described["truncation"] = described["padding"] = None  # the engine's part
    (out / "tokenizer.json").write_text(json.dumps(described, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    shutil.copyfile(local / "tokenizer_config.json", out / "tokenizer_config.json")
    revision = sha(b"".join(made.values()))[:12]
    config = {
        "id": f"log-minilm-l6-{revision}",
        "name": "LoG reranker, move-conditioned",
        "licence": "Apache-2.0",
        "encoder": encoder,
        "maxTokens": LIMITS.tokens,
        "maxQueryTokens": LIMITS.query,
        "maxSentences": LIMITS.sentences,
        "passages": 50,
        "hidden": shape.hidden,
        "features": list(FEATURES),
        "prompts": PROMPTS,
        "blend": {move: list(weights) for move, weights in BLEND.items()},
        "passageCosine": PASSAGE_COSINE,
        "graph": {k: getattr(settings, k) for k in ("cosine", "difference", "top", "neighbours")},
        "files": {file: {"bytes": len(data), "sha256": sha(data)} for file, data in made.items()},
    }
    write_json(out / "config.json", config)
    # Fitted on another model's scores; fit_order.py makes it anew.
    (out / "order.json").unlink(missing_ok=True)
    (out / "LICENSE.txt").write_text(LICENCE, encoding="utf-8")
    text = card(len(made["local.onnx"]), len(made["global.onnx"]), LIMITS.tokens, settings.neighbours)
    (out / "README.md").write_text(text, encoding="utf-8")
    return made | {"fp32": local_graph(weights, shape, heads, "fp32", {}).SerializeToString()}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="train_reranker.py's --out")
    parser.add_argument("--name", default="global", help="folder of the global stage in RUN")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, help="the exported retriever that it was trained with (models/encoder)")
    parser.add_argument("--data", type=Path, help="rerank_data.py's folder: compare with the trained models")
    parser.add_argument("--queries", type=int, default=20, help="validation queries a move to compare on")
    parser.add_argument("--passages", type=int, default=50)
    args = parser.parse_args(argv)
    encoder = json.loads((args.encoder / "config.json").read_text(encoding="utf-8"))["id"] if args.encoder else None
    if encoder and args.data:
        same_encoder(encoder, args.data)
    made = export(args.run, args.name, args.out, encoder)
    print((args.out / "config.json").read_text())
    print(f"{sum(len(made[f]) for f in ('local.onnx', 'global.onnx')):,} bytes, onnxruntime {onnxruntime.__version__}")
    if args.data:
        scorer = LocalScorer.load(args.run / "local" / "best")
        model, settings = graph_of(args.run / args.name)
        trained, dev = Trained(scorer, model, settings), Examples.load(args.data / "dev.npz")
        for kind in ("fp32", "local.onnx"):
            chain = Chain(made[kind], made["global.onnx"], scorer, settings)
            print(kind, json.dumps(agreement(trained, chain, dev, args.queries, args.passages)), flush=True)


if __name__ == "__main__":
    main()
