"""Fits recall's weights (server/engine/recall/fuse.ts) on labelled triples.

    python models/training/fit_fusion.py --labels models/training/labels.jsonl --mined DIR --mined-val DIR \
        --encoder models/encoder --cache DIR [--pool 40000] [--priors FILE]

Within a query every sentence labelled 1 should score above every one labelled 0: logistic
regression on the differences of their features, without intercept, each query weighing the same.
Prints average precision within the labelled lists, cross-validated by query, for each set of
features, and the weights fitted on all queries (scaled so that the cosine's is 1).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from label_candidates import Bm25
from label_corpus import Sentences, read_sentences
from label_encoder import Encoder
from measures import average_precision
from mined import MOVES, paper_of, read_lines

FOLDS = 5
SETS = {
    "bm25": ["bm25"],
    "cosine": ["cosine"],
    "cosine, before": ["cosine", "before"],
    "cosine, plain before": ["cosine", "plainBefore"],
    "cosine, plain, both before": ["cosine", "plain", "before", "plainBefore"],
    "those, bm25": ["cosine", "plain", "before", "plainBefore", "bm25"],
    "those, prior": ["cosine", "plain", "before", "plainBefore", "bm25", "prior"],
    "product": ["cosine", "plainBefore", "bm25", "prior"],
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--mined", type=Path, required=True)
    parser.add_argument("--mined-val", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where vectors are kept")
    parser.add_argument("--priors", type=Path, help="JSON lines {move, sentence, prior}")
    parser.add_argument("--pool", type=int, default=40_000, help="sentences that BM25's statistics are of")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=["train", "val"], help="only labels of this split")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def of_the_best(bm25: np.ndarray, own: np.ndarray) -> np.ndarray:
    """
    BM25 (n) as recall has it: a share of the best. `own` (n) tells the sentences of the query's own paper, which has no
    part in it: drafts are in no pool, and against its own sentence a query scores several times what others reach.
    """
    others = np.where(own, 0, bm25)
    return others / max(float(others.max(initial=0)), 1e-9)


def features_of(
    sentences: Sentences,
    rows: list[int],
    query: str,
    move: str,
    encoder: Encoder,
    vectors: dict[int, np.ndarray],
    bm25: np.ndarray,
) -> list[dict[str, float]]:
    """
    One record a row; `vectors` holds those of the rows and of the four sentences before each, `bm25` is
    of_the_best's of all sentences.
    """
    asked = encoder.queries(move, [query])[0]
    plain = encoder.sentences([query])[0]
    made = []
    for row in rows:
        context = [vectors[r] for r in range(row - min(4, sentences.place[row]), row)]
        made.append(
            {
                "cosine": float(asked @ vectors[row]),
                "plain": float(plain @ vectors[row]),
                "before": max([0.0, *(float(asked @ v) for v in context)]),
                "plainBefore": max([0.0, *(float(plain @ v) for v in context)]),
                "bm25": float(bm25[row]),
            }
        )
    return made


def leave_out_missing(grouped: dict[tuple[str, str], list[tuple[str, int]]], sentences: set[str], queries: set[str]) -> int:
    """
    Takes out of `grouped` (move and query to sentences and labels) what is not there, `sentences` being those of the papers
    and `queries` those of the pairs. Returns how many labels that are.
    """
    before = sum(map(len, grouped.values()))
    for key, labelled in list(grouped.items()):
        there = [(name, label) for name, label in labelled if name in sentences]
        if there and (key[1] in sentences or key[1] in queries):
            grouped[key] = there
        else:
            del grouped[key]
    return before - sum(map(len, grouped.values()))


def load(args: argparse.Namespace) -> list[dict]:
    """One entry a labelled query: move, split, features (n, f) and labels (n)."""
    encoder = Encoder(args.encoder, args.cache)
    priors = {(r["move"], r["sentence"]): r["prior"] for r in read_lines(args.priors)} if args.priors else {}
    entries = []
    for split, mined in (("train", args.mined), ("val", args.mined_val)):
        grouped: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
        for row in read_lines(args.labels):
            if row["split"] == split and args.split in (None, split):
                grouped[row["move"], row["query"]].append((row["sentence"], row["label"]))
        if not grouped:
            continue
        needed = {paper_of(q) for _, q in grouped} | {paper_of(s) for g in grouped.values() for s, _ in g}
        sentences = read_sentences(mined, needed, args.pool, args.seed)
        place = {name: i for i, name in enumerate(sentences.ids)}
        texts = {p["queryId"]: p["query"] for p in read_lines(mined / "pairs.jsonl")}
        papers = np.array([paper_of(name) for name in sentences.ids])
        index = Bm25(sentences.text)
        missing = leave_out_missing(grouped, {*place}, {*texts})
        if missing:
            print(f"{split}: {missing} labels left out: {mined} lacks their sentences or queries", flush=True)
        # Each labelled sentence, and up to four before it in its paper.
        at = {place[s] for g in grouped.values() for s, _ in g}
        wanted = sorted({r for row in at for r in range(row - min(4, sentences.place[row]), row + 1)})
        made = encoder.documents([sentences.text[r] for r in wanted], f" {split}")
        vectors = dict(zip(wanted, made))
        for (move, query), labelled in grouped.items():
            rows = [place[s] for s, _ in labelled]
            # A plain claim is the query of no pair.
            text = texts[query] if query in texts else sentences.shown[place[query]]
            lexical = of_the_best(index.scores(text), papers == paper_of(query))
            features = features_of(sentences, rows, text, move, encoder, vectors, lexical)
            for record, (sentence, _) in zip(features, labelled):
                record["prior"] = priors.get((move, sentence), 0.0)
            entries.append({"move": move, "split": split, "features": features, "labels": np.array([v for _, v in labelled])})
    return entries


def matrix(entry: dict, names: list[str]) -> np.ndarray:
    """The features `names` of an entry, (n, len(names))."""
    return np.array([[record[name] for name in names] for record in entry["features"]])


def fit(entries: list[dict], names: list[str]) -> np.ndarray:
    """Weights of `names`, by differences within queries."""
    differences, weights = [], []
    for entry in entries:
        x, y = matrix(entry, names), entry["labels"]
        d = (x[y == 1][:, None] - x[y == 0][None]).reshape(-1, len(names))
        differences.append(d)
        weights += [1 / len(d)] * len(d)
    d, w = np.concatenate(differences), np.array(weights)
    model = LogisticRegression(C=10.0, fit_intercept=False, max_iter=2000)
    model.fit(np.concatenate([d, -d]), np.r_[np.ones(len(d)), np.zeros(len(d))], np.r_[w, w])
    return model.coef_[0]


def crossed(entries: list[dict], names: list[str]) -> float:
    """Mean average precision, every query scored by weights of the other folds."""
    folds = np.random.default_rng(0).permutation(len(entries)) % FOLDS
    found = []
    for fold in range(FOLDS):
        weights = fit([e for e, f in zip(entries, folds) if f != fold], names) if len(names) > 1 else np.ones(1)
        found += [average_precision(matrix(e, names) @ weights, e["labels"]) for e, f in zip(entries, folds) if f == fold]
    return float(np.mean(found))


def by_chance(labels: np.ndarray) -> float:
    """Average precision of `labels` (n) in random order, the mean of twenty."""
    return float(np.mean([average_precision(np.random.default_rng(seed).random(len(labels)), labels) for seed in range(20)]))


def main() -> None:
    args = arguments()
    entries = load(args)
    report = {}
    for move in MOVES:
        mine = [e for e in entries if e["move"] == move and 0 < e["labels"].sum() < len(e["labels"])]
        if len(mine) < 2 * FOLDS:
            print(f"{move}: only {len(mine)} queries with both labels, nothing fitted")
            continue
        chance = np.mean([by_chance(e["labels"]) for e in mine])
        print(f"{move}: {len(mine)} queries with both labels; by chance {chance:.3f}")
        report[move] = {"queries": len(mine), "chance": round(float(chance), 4)}
        for title, names in SETS.items():
            score = crossed(mine, names)
            weights = fit(mine, names)
            scaled = weights / (abs(weights[names.index("cosine")]) if "cosine" in names else 1)
            shown = {n: round(float(w), 3) for n, w in zip(names, scaled)}
            report[move][title] = {"averagePrecision": round(score, 4), "weights": shown}
            print(f"  {title:28} {score:.3f}  {json.dumps(shown)}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
