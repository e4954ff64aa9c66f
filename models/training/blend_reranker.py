"""Prints what the features should weigh beside the global score in use (rerank_model.BLEND), on validation papers.

    python models/training/blend_reranker.py --run DIR --data DIR

By factor of the weights with which recall fused the features then (FUSION): mean average precision on labelled queries, and
MRR@10 of refinding. For plain questions: nDCG@10 of passages, of titles and of labelled questions, by the weights of
cosine and of the passage's BM25.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from export_reranker import graph_of
from rerank_corpus import MOVE
from rerank_local import LocalScorer
from rerank_losses import REST
from rerank_nodes import Nodes, kept_nodes, nodes_of
from rerank_scores import LABELLED_PASSAGES, by_move, labelled_precision, passages_gain, reciprocal, some
from rerank_store import Examples

#: Weights of cosine, what stands before, BM25 and the passage's BM25, by move: recall's when BLEND was chosen.
FUSION = {"address": (1.0, 0.4, 0.4, 0.0), "broaden": (1.0, 0.0, 0.5, 0.0), "specify": (1.0, 0.0, 0.6, 0.0)}
NAME = {number: move for move, number in MOVE.items()}
FACTORS = (0, 1, 2, 3, 4, 6, 8, 12)
QUESTIONS = [(cosine, bm25) for cosine in (0, 8, 16, 24, 40, 80, 1000) for bm25 in (0, 4, 8)]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder with local/best and global/best.pt")
    parser.add_argument("--data", type=Path, required=True, help="folder that rerank_data.py wrote")
    parser.add_argument("--dev-queries", type=int, default=60, help="validation queries a move")
    parser.add_argument("--dev-passages", type=int, default=20, help="first passages of each")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args(argv)


def fused(nodes: Nodes, move: int) -> np.ndarray:
    """The features (n, 4) weighed by FUSION for a move: one number a sentence (n)."""
    return nodes.features @ np.array(FUSION.get(NAME[move], (1.0, 0.0, 0.5, 0.0)), np.float32)


def passage_gain(scores: np.ndarray, nodes: Nodes, gold: int) -> float:
    """nDCG@10 of passages by their best sentences, the gold's the only relevant one."""
    mine = nodes.passage[nodes.sentence == gold]
    if not len(mine):
        return 0.0
    best = np.array([scores[nodes.passage == p].max() for p in range(int(nodes.passage.max()) + 1)])
    rank = int((best >= best[mine[0]]).sum())
    return 1 / np.log2(1 + rank) if rank <= 10 else 0.0


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    torch.set_num_threads(args.threads)
    dev, judged = Examples.load(args.data / "dev.npz"), Examples.load(args.data / "judged.npz")
    scorer = LocalScorer.load(args.run / "local" / "best")
    model, settings = graph_of(args.run / "global")

    def globally(nodes: Nodes) -> np.ndarray:
        with torch.inference_mode():
            return model(*nodes.tensors(nodes.graph(settings))).numpy()

    chosen = some(dev, args.dev_queries)
    name = f"blend-{args.dev_queries}-{args.dev_passages}"
    nodes = kept_nodes(args.run / "nodes", name, scorer, args.data / "dev.npz", dev, chosen, args.dev_passages, REST)
    scores = [globally(n) for n in nodes]
    labelled = [nodes_of(scorer, judged, e, LABELLED_PASSAGES, REST) for e in range(len(judged))]
    labelled_scores = [globally(n) for n in labelled]

    def precision(given: list[np.ndarray]) -> dict[str, float]:
        gained: dict[str, list[float]] = {}
        for e, s in enumerate(given):
            gained.setdefault(NAME[int(judged.move[e])], []).append(labelled_precision(s, judged, e))
        every = [v for values in gained.values() for v in values]
        return {m: round(100 * float(np.mean(v)), 1) for m, v in gained.items()} | {"all": round(100 * float(np.mean(every)), 1)}

    print(f"labels: {len(judged)} queries; refinding: {len(chosen)}", flush=True)
    alone = [fused(n, int(judged.move[e])) for e, n in enumerate(labelled)]
    print("fused alone", precision(alone))
    print("local alone", precision([n.logit.astype(np.float32) for n in labelled]))
    for factor in FACTORS:
        mixed = [s + factor * f for s, f in zip(labelled_scores, alone)]
        found = by_move(
            dev,
            chosen,
            [
                reciprocal(s + factor * fused(n, int(dev.move[e])), n.sentence, dev.gold[e])
                for e, n, s in zip(chosen, nodes, scores)
            ],
        )
        print(f"factor {factor}: labels {precision(mixed)} refinding {found}", flush=True)
    questions = Examples.where(args.data / "questions.npz")
    asked = [] if questions is None else [nodes_of(scorer, questions, e, LABELLED_PASSAGES, REST) for e in range(len(questions))]
    asked_scores = [globally(n) for n in asked]
    plain = [(n, s, dev.gold[e]) for e, n, s in zip(chosen, nodes, scores) if NAME[int(dev.move[e])] == "none"]
    for cosine, bm25 in QUESTIONS if plain or asked else ():
        gained = [passage_gain(s + cosine * n.features[:, 0] + bm25 * n.features[:, 3], n, g) for n, s, g in plain]
        held = [
            passages_gain(s + cosine * n.features[:, 0] + bm25 * n.features[:, 3], questions, e)
            for e, (n, s) in enumerate(zip(asked, asked_scores))
        ]
        said = [f"{n} {100 * np.mean(g):.1f}" for n, g in (("titles", gained), ("labelled questions", held)) if g]
        print(f"{cosine} x cosine, {bm25} x BM25: nDCG@10 of {', '.join(said)}", flush=True)


if __name__ == "__main__":
    main()
