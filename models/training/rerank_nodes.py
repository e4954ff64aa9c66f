"""The frozen local model's outputs, kept on disk: what the graph reranker learns from."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from rerank_batches import MASKED, ranks_of, row_of
from rerank_graph import GraphSettings, SentenceGraph, sentence_graph
from rerank_local import LocalScorer
from rerank_store import Examples
from resume import contents

PART = 25


@dataclass
class Nodes:
    """All sentences of one query's passages. `ranks` as ranks_of; `logit` is the local one."""

    hidden: np.ndarray
    roles: np.ndarray
    logit: np.ndarray
    features: np.ndarray
    passage: np.ndarray
    ranks: np.ndarray
    sentence: np.ndarray

    @property
    def local(self) -> np.ndarray:
        """Local scores (n), the sigmoid of the logits."""
        return (1 / (1 + np.exp(-self.logit.astype(np.float32)))).astype(np.float32)

    def graph(self, settings: GraphSettings) -> SentenceGraph:
        """The sentence graph over these nodes."""
        return sentence_graph(self.hidden.astype(np.float32), self.roles.astype(np.float32), self.local, self.passage, settings)

    def tensors(self, graph: SentenceGraph) -> list[torch.Tensor]:
        """The inputs of Global, in its order."""
        mine = (self.hidden.astype(np.float32), self.roles.astype(np.float32), self.local, self.features)
        return [torch.from_numpy(a) for a in (*mine, graph.neighbours, graph.relations, graph.valid)]


def nodes_of(scorer: LocalScorer, examples: Examples, example: int, most: int, rest: float) -> Nodes:
    """The local model's outputs for the first `most` passages of an example; `rest` as in `ranks_of`."""
    passages = list(examples.passages(example))[:most]
    rows = [row_of(examples, example, p) for p in passages]
    with torch.inference_mode():
        flat = scorer.run(rows)
    return Nodes(
        hidden=flat.hidden.numpy().astype(np.float16),
        roles=flat.role_logits.softmax(-1).numpy().astype(np.float16),
        # fp16 resolves logits; of sigmoids near 1 it would make ties.
        logit=flat.local.numpy().astype(np.float16),
        features=np.concatenate([row.features for row in rows]),
        passage=np.repeat(np.arange(len(rows)), [len(row.sentences) for row in rows]),
        ranks=np.concatenate([ranks_of(examples, example, p, rest) for p in passages]),
        sentence=np.concatenate([examples.sentence[examples.entries(p)] for p in passages]),
    )


def kept_nodes(
    folder: Path, name: str, scorer: LocalScorer, data: Path, examples: Examples, chosen: list[int], most: int, rest: float
) -> list[Nodes]:
    """
    Nodes of the chosen examples, which lie in `data`, made in parts; parts that are on disk are read, and refused where
    they are of another local model or of other data.
    """
    folder.mkdir(parents=True, exist_ok=True)
    local = scorer.tower.source
    made_of = {"local model": contents(local / "model.safetensors", local / "heads.pt"), "data": contents(data)}
    out: list[Nodes] = []
    clock = time.time()

    def minutes() -> float:
        return (time.time() - clock) / 60

    for at in range(0, len(chosen), PART):
        file = folder / f"{name}-{at // PART:03}.pt"
        mine = chosen[at : at + PART]
        if file.exists():
            saved = torch.load(file, weights_only=False)
            held = saved.get("of", {})
            other = [what for what, of in made_of.items() if held.get(what) != of]
            if other or saved["chosen"] != mine or saved["most"] != most:
                why = f"is not of this {' and '.join(other)}" if other else "holds other queries"
                raise SystemExit(f"{file} {why}. Choose another --out or remove {folder}.")
            out += [Nodes(**row) for row in saved["rows"]]
            continue
        made = [nodes_of(scorer, examples, e, most, rest) for e in mine]
        part = file.with_suffix(".part")
        torch.save({"of": made_of, "chosen": mine, "most": most, "rows": [vars(n) for n in made]}, part)
        part.replace(file)
        out += made
        print(f"  {name}: nodes of {len(out)} of {len(chosen)} queries · {minutes():.1f} min", flush=True)
    return out


def cosine_quantiles(nodes: list[Nodes]) -> dict[str, float]:
    """Cosines between passages' sentences of the same role: what a threshold for edges is chosen by."""
    found = []
    for n in nodes:
        hidden = n.hidden.astype(np.float32)
        unit = hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12)
        role = n.roles.argmax(axis=1)
        apart = (n.passage[:, None] != n.passage[None, :]) & (role[:, None] == role[None, :])
        found.append((unit @ unit.T)[apart])
    every = np.concatenate(found) if found else np.zeros(1)
    return {f"p{q}": round(float(np.percentile(every, q)), 3) for q in (50, 75, 90, 95, 99)} if len(every) else {}


def preferences(nodes: Nodes, deepest: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """
    Places (u, v) of sentences of different passages of which u is preferred (equation 23): u is of a
    better passage, one that holds the gold or a sentence labelled as making the move, and its rank there,
    at most `deepest`, is no worse than v's. Other passages' sentences rank by the retriever's cosine.
    """
    known = nodes.ranks != MASKED
    count = int(nodes.passage.max()) + 1 if len(nodes.passage) else 0
    better = np.zeros(count, bool)
    better[nodes.passage[nodes.ranks == 0]] = True
    own = nodes.ranks.copy()
    for p in np.flatnonzero(~better):
        at = np.flatnonzero(nodes.passage == p)
        own[at[np.argsort(-nodes.features[at, 0], kind="stable")]] = np.arange(len(at))
    u = np.flatnonzero(known & better[nodes.passage] & (nodes.ranks <= deepest))
    v = np.flatnonzero(known & ~better[nodes.passage])
    # Within a better passage, too, a sentence labelled as useless stands below others' useful ones.
    pairs = own[u][:, None] <= own[v][None, :]
    first, second = np.nonzero(pairs)
    return u[first], v[second]
