"""Trains the two heads on the encoder's vectors and writes heads.json:

    python models/training/train_heads.py --encoder models/encoder --mined DIR --mined-val DIR \
        --data $RATIO_DATA --out models/encoder/heads.json

- roles: what a sentence does in its abstract. Softmax regression over the vector and the cue-based
  scores (recall/roles.ts), on CSAbstruct; chosen on its development set. Left out (null) where it is
  not clearly better than the cues alone.
- problem: whether a sentence states a problem. Logistic regression over the vector, on mined Address
  pairs; chosen on the validation papers. A second, small one joins it with the cue-based detector
  (language/problems.ts), on labelled sentences, whose held-out drafts are only reported on.

Encodes about 30,000 sentences. The product's own code (text form, cues) runs through
models/training/product/headTexts.ts, so `npm ci` has to be done.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices this small only wait for further threads

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import KFold

from heads_data import ROLES, Vectors, problem_pairs, product, role_set

STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)  # inverse of the L2 penalty's weight
PRECISION = 0.8
# Cues alone go on telling roles unless the head's accuracy on the development set is so much higher.
MARGIN = 0.01
DIGITS = 5
SEED = 7


def fitted(features: np.ndarray, labels: np.ndarray, strength: float) -> LogisticRegression:
    """Logistic regression; `strength` is the inverse of the L2 penalty's weight."""
    return LogisticRegression(C=strength, max_iter=1000).fit(features, labels)


def rounded(values) -> list:
    """Numbers to DIGITS digits, as lists for JSON."""
    return np.round(np.asarray(values, np.float64), DIGITS).tolist()


def role_head(data: Path, vectors: Vectors, limit: int) -> tuple[dict | None, dict]:
    """The head of roles, or None where it does not beat the cues by MARGIN on the development set, and the figures."""
    sets = {split: role_set(data, split, limit) for split in ("train", "dev", "test")}
    inputs, truth, cued = {}, {}, {}
    for split, found in sets.items():
        embedded = vectors.of([form["embedded"] for form in product("forms", texts=found.texts)])
        cued[split] = np.array([row for paper in product("roles", texts=found.papers) for row in paper])
        truth[split] = found.roles
        inputs[split] = {
            "vector": embedded,
            "vector, place": np.hstack([embedded, found.places]),
            "vector, cues": np.hstack([embedded, cued[split]]),
        }

    def measured(predicted: np.ndarray, split: str) -> dict:
        # `other` is -1 and never predicted: it counts as an error.
        right = predicted == truth[split]
        known = truth[split] >= 0
        macro = f1_score(truth[split], predicted, labels=range(len(ROLES)), average="macro", zero_division=0)
        return {
            "accuracy": round(float(right.mean()), 4),
            "macroF1": round(float(macro), 4),
            "accuracyWithoutOther": round(float(right[known].mean()), 4),
        }

    figures = {"cues": {split: measured(cued[split].argmax(axis=1), split) for split in ("dev", "test")}}
    known = truth["train"] >= 0
    best = None
    for kind in inputs["train"]:
        tried = []
        for strength in STRENGTHS:
            model = fitted(inputs["train"][kind][known], truth["train"][known], strength)
            tried.append((measured(model.predict(inputs["dev"][kind]), "dev")["accuracy"], -strength, model))
        _, strength, model = max(tried, key=lambda entry: entry[:2])
        figures[kind] = {
            "strength": -strength,
            **{split: measured(model.predict(inputs[split][kind]), split) for split in ("dev", "test")},
        }
        if kind == "vector, cues":
            best = model
    gain = figures["vector, cues"]["dev"]["accuracy"] - figures["cues"]["dev"]["accuracy"]
    figures["chosen"] = "vector, cues" if gain >= MARGIN else "cues"
    if gain < MARGIN:
        return None, figures
    width = vectors.config["dimensions"]
    head = {
        "labels": list(ROLES),
        "weights": rounded(best.coef_[:, :width]),
        # What the cues' score of a role (column) adds to that of another (row).
        "cues": rounded(best.coef_[:, width:]),
        "bias": rounded(best.intercept_),
    }
    return head, figures


def joined(head: np.ndarray, cue: np.ndarray) -> np.ndarray:
    """The head's log-odds, the cue detector's (0 without a cue), and whether it found no cue."""
    has = cue > 0
    safe = np.clip(cue, 1e-6, 1 - 1e-6)
    return np.stack([head, np.where(has, np.log(safe / (1 - safe)), 0), ~has], axis=1).astype(np.float64)


def threshold_for(scores: np.ndarray, labels: np.ndarray) -> float:
    """Lowest probability from which at least PRECISION of those that score so high are positive."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    good = np.flatnonzero(hits >= PRECISION * np.arange(1, len(order) + 1))
    return float(scores[order[good[-1]]]) if len(good) else 1.0


def problem_head(args: argparse.Namespace, vectors: Vectors) -> tuple[dict, dict]:
    """The head of problem statements and the figures; the threshold is chosen on labelled development sentences."""
    texts, labels, cues = {}, {}, {}
    for split, folder, most in (("train", args.mined, args.limit), ("val", args.mined_val, args.limit // 5)):
        texts[split], labels[split] = problem_pairs(folder, most, SEED)
    rows = product("labels", data=args.data)
    texts["labelled"] = [row["text"] for row in rows]
    inputs = {}
    for split, own in texts.items():
        forms = product("forms", texts=own)
        inputs[split] = vectors.of([form["embedded"] for form in forms])
        cues[split] = np.array([form["cue"] for form in forms])

    tried = []
    for strength in STRENGTHS:
        model = fitted(inputs["train"], labels["train"], strength)
        score = average_precision_score(labels["val"], model.decision_function(inputs["val"]))
        tried.append((score, -strength, model))
    score, strength, model = max(tried, key=lambda entry: entry[:2])
    mined = {
        "strength": -strength,
        "valAveragePrecision": {
            "head": round(score, 4),
            "cues": round(average_precision_score(labels["val"], cues["val"]), 4),
        },
    }

    truth = np.array([row["label"] for row in rows])
    development = np.array([row["set"] == "development" for row in rows])
    drafts = np.array([row["source"].startswith("drafts/") for row in rows])
    features = joined(model.decision_function(inputs["labelled"]), cues["labelled"])
    join = fitted(features[development], truth[development], 10)
    probability = {
        "cues": cues["labelled"],
        "head": model.predict_proba(inputs["labelled"])[:, 1],
        "joined": join.predict_proba(features)[:, 1],
    }
    # The join has seen the development sentences: there each is scored by one that has not seen it.
    unseen = probability["joined"].copy()
    own = np.flatnonzero(development)
    for kept, left in KFold(10, shuffle=True, random_state=SEED).split(own):
        part = fitted(features[own[kept]], truth[own[kept]], 10)
        unseen[own[left]] = part.predict_proba(features[own[left]])[:, 1]
    probability["joined"] = unseen

    figures: dict = {"mined": mined}
    thresholds = {}
    for name, scores in probability.items():
        # Of two thresholds the higher: all development sentences are many, its drafts are what matters.
        one = threshold_for(scores[development], truth[development])
        two = threshold_for(scores[development & drafts], truth[development & drafts])
        thresholds[name] = max(one, two)
        figures[name] = {"threshold": round(thresholds[name], 4)}
        for part, chosen in (("development", development), ("held-out", ~development)):
            fires = scores[chosen] >= thresholds[name]
            hits = int(truth[chosen][fires].sum())
            figures[name][part] = {
                "averagePrecision": round(average_precision_score(truth[chosen], scores[chosen]), 4),
                "precision": round(hits / max(1, int(fires.sum())), 4),
                "recall": round(hits / int(truth[chosen].sum()), 4),
                "firings": int(fires.sum()),
                "positives": int(truth[chosen].sum()),
            }
    head_weight, cue_weight, uncued = rounded(join.coef_[0])
    head = {
        "weights": rounded(model.coef_[0]),
        "bias": rounded(model.intercept_)[0],
        "combine": {
            "head": head_weight,
            "cue": cue_weight,
            "uncued": uncued,
            "bias": rounded(join.intercept_)[0],
        },
        "threshold": round(thresholds["joined"], DIGITS),
    }
    return head, figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True, help="folder of the exported encoder")
    parser.add_argument("--mined", type=Path, required=True, help="folder that `ratio mine` wrote: training papers")
    parser.add_argument("--mined-val", type=Path, required=True, help="the same of the validation papers")
    parser.add_argument("--data", type=Path, required=True, help="folder of roles-*.jsonl.gz and the labelled texts")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=5000, help="positives (and abstracts) to train on at most")
    parser.add_argument("--cache", type=Path, help="folder to keep vectors in between runs")
    args = parser.parse_args()

    started = time.monotonic()
    vectors = Vectors(args.encoder, args.cache)
    roles, role_figures = role_head(args.data, vectors, args.limit)
    print(json.dumps({"roles": role_figures}, indent=1), flush=True)
    problem, problem_figures = problem_head(args, vectors)
    print(json.dumps({"problem": problem_figures}, indent=1))
    heads = {
        "encoder": vectors.config["id"],
        "roles": roles,
        "problem": problem,
        "figures": {"roles": role_figures, "problem": problem_figures},
    }
    args.out.write_text(json.dumps(heads, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{args.out}: {args.out.stat().st_size} bytes, {len(vectors.known)} sentences, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
