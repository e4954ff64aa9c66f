"""Averages the weights of local rerankers of one line of training, and sets their role head's bias.

    python models/training/average_rerankers.py --local RUN/local/best --local RUN2/local/best \\
        --data DIR --roles DIR --out RUN3

Weights of runs that went on from one another lie in one valley, and their mean does better than each (model
soups, Wortsman et al. 2022). The role head's bias is chosen on the development abstracts, since its
soft targets come from a classifier whose shares of roles are not theirs. Writes OUT/local/best, which
`train_reranker.py --stage global --out OUT` takes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from rerank_local import LocalScorer
from rerank_roles import read_abstracts
from rerank_scores import LocalValidation, role_logits, role_test
from rerank_store import Examples

#: Biases tried of method and result, against background's 0.
BIASES = np.round(np.arange(-1, 1.01, 0.1), 1)


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--local", type=Path, action="append", required=True, help="folder of a local model; repeatable")
    parser.add_argument("--data", type=Path, required=True, help="folder that rerank_data.py wrote")
    parser.add_argument("--roles", type=Path, required=True, help="folder of roles-{train,dev,test}.jsonl.gz")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dev-queries", type=int, default=60, help="validation queries a move")
    parser.add_argument("--dev-passages", type=int, default=20, help="first passages of each")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args(argv)


def averaged(folders: list[Path], out: Path) -> LocalScorer:
    """The mean of local models of one shape, saved to `out` and loaded from there."""
    scorers = [LocalScorer.load(folder) for folder in folders]
    first = scorers[0]
    if any((s.joint, s.heads.width_of) != (first.joint, first.heads.width_of) for s in scorers):
        raise SystemExit("--local: these models are of different shapes.")
    weights = [torch.stack(each).mean(0) for each in zip(*(s.masters() for s in scorers))]
    heads = [s.heads.state_dict() for s in scorers]
    mean = {name: torch.stack([h[name] for h in heads]).mean(0) for name in heads[0]}
    out.mkdir(parents=True, exist_ok=True)
    first.save(out, weights, mean)
    return LocalScorer.load(out)


def best_bias(logits: np.ndarray, roles: np.ndarray) -> np.ndarray:
    """Bias (3) with which most of `roles` (n; -1: none of the three) are told from `logits` (n, 3)."""
    tried = [np.array([0, b, c]) for b in BIASES for c in BIASES]
    right = [((logits + bias).argmax(1) == roles).mean() for bias in tried]
    # Of equally good ones the smallest.
    return min(zip(right, tried), key=lambda pair: (-pair[0], np.abs(pair[1]).sum()))[1]


def main(argv: list[str] | None = None) -> None:
    args = arguments(argv)
    torch.set_num_threads(args.threads)
    dev = Examples.load(args.data / "dev.npz")
    folder = args.out / "local" / "best"
    scorer = averaged(args.local, folder)
    abstracts = read_abstracts(args.roles, "dev")
    bias = best_bias(*role_logits(scorer, abstracts, dev))
    with torch.no_grad():
        scorer.heads.role[-1].bias.add_(torch.from_numpy(bias).float())
    torch.save(scorer.heads.state_dict(), folder / "heads.pt")
    judged, questions = (Examples.where(args.data / f"{name}.npz") for name in ("judged", "questions"))
    made = LocalValidation(dev, judged, questions, abstracts, args.dev_queries, args.dev_passages).run(scorer)
    report = {"of": [str(f) for f in args.local], "roleBias": bias.tolist(), **made}
    report["rolesTest"] = role_test(scorer, args.roles, dev)
    (args.out / "local" / "log.jsonl").write_text(json.dumps(report) + "\n")
    print(report, flush=True)


if __name__ == "__main__":
    main()
