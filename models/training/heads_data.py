"""What the heads learn from: sentences with roles, sentences that state a problem, labelled drafts."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from calibrate import feeds
from mined import place_of, read_lines

ROOT = Path(__file__).resolve().parents[2]
ROLES = ("background", "method", "result")
MERGED = {"objective": "method"}
# Words that problem statements tend to have; the negatives hold them as often as the positives.
CUE = re.compile(
    r"\b(?:however|but|yet|despite|although|while|unfortunately|challeng\w*|limit\w*|difficult\w*|lack\w*"
    r"|problem\w*|remain\w*|suffer\w*|fail\w*|struggl\w*|issue\w*|gap\w*|unclear|hard|costly|expensive"
    r"|poor\w*|hinder\w*|insufficient\w*|often|only|not|cannot|without|few|little)\b",
    re.IGNORECASE,
)
BATCH_TOKENS = 2048


class Vectors:
    """Unit vectors of document sentences as the engine makes them, each text encoded once."""

    def __init__(self, folder: Path, cache: Path | None):
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.no_padding()
        self.tokens.enable_truncation(self.config["maxTokens"])
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.intra_op_num_threads = min(2, os.cpu_count() or 1)
        model = str(folder / "model.onnx")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.known: dict[str, np.ndarray] = {}
        self.file = cache and cache / f"{self.config['id']}.npz"
        if self.file and self.file.exists():
            with np.load(self.file) as stored:
                self.known = dict(zip(stored["keys"].tolist(), stored["vectors"]))

    def of(self, texts: list[str]) -> np.ndarray:
        """Unit vectors (n, dimensions); those that were not known are kept in the cache, where there is one."""
        prefix = self.config["documentPrefix"]
        keys = [hashlib.sha256((prefix + text).encode()).hexdigest()[:20] for text in texts]
        missing = list({key: prefix + text for key, text in zip(keys, texts) if key not in self.known}.items())
        rows = [encoding.ids for encoding in self.tokens.encode_batch([text for _, text in missing])]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        while order:
            width = len(rows[order[-1]])
            batch = [order.pop() for _ in range(min(len(order), max(1, BATCH_TOKENS // width)))]
            made = self.session.run(["embedding"], feeds([rows[i] for i in batch]))[0]
            self.known.update((missing[i][0], vector) for i, vector in zip(batch, made))
        if self.file and missing:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            part = self.file.with_suffix(".part.npz")
            np.savez(part, keys=list(self.known), vectors=np.stack(list(self.known.values())))
            part.replace(self.file)
        return np.stack([self.known[key] for key in keys]) if keys else np.zeros((0, self.config["dimensions"]))


def product(*arguments: str, texts: list | None = None, data: Path | None = None) -> list[dict]:
    """Rows that product/headTexts.ts prints: the product's own code, so that nothing is written twice."""
    tsx = ROOT / "node_modules" / "tsx" / "dist" / "cli.mjs"
    run = subprocess.run(
        ["node", str(tsx), str(ROOT / "models" / "training" / "product" / "headTexts.ts"), *arguments],
        input="".join(json.dumps(text) + "\n" for text in texts or []),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, **({"RATIO_DATA": str(data)} if data else {})},
        check=True,
    )
    return [json.loads(line) for line in run.stdout.split("\n") if line]


@dataclass
class RoleSet:
    """Sentences of a split with their roles (n) and what `place` says of each (n, 6)."""

    texts: list[str]
    # Index into ROLES; -1 for a sentence that has none of them.
    roles: np.ndarray
    places: np.ndarray
    # Sentences by abstract, for what looks at their surroundings.
    papers: list[list[str]]


def place(index: int, count: int) -> list[float]:
    """Where a sentence stands in its abstract: position 0 to 1, its square, first, second, last but one, last."""
    at = 0.5 if count == 1 else index / (count - 1)
    return [at, at * at, index == 0, index == 1, index == count - 2, index == count - 1]


def role_set(data: Path, split: str, most: int) -> RoleSet:
    """The first `most` abstracts of a split of CSAbstruct; objective counts as method."""
    texts, roles, places, papers = [], [], [], []
    for row in itertools.islice(read_lines(data / f"roles-{split}.jsonl.gz"), most):
        papers.append([" ".join(text.split()) for text in row["sentences"]])
        texts += papers[-1]
        for i, role in enumerate(row["roles"]):
            role = MERGED.get(role, role)
            roles.append(ROLES.index(role) if role in ROLES else -1)
            places.append(place(i, len(row["roles"])))
    return RoleSet(texts, np.array(roles), np.array(places, np.float64), papers)


def problem_pairs(mined: Path, most: int, seed: int) -> tuple[list[str], np.ndarray]:
    """
    Sentences of mined papers and whether they state a problem. Positives: sentences that an Address
    marker responds to. Negatives: the papers' other sentences, as many with a cue word as there are
    positives with one; those come from the response on, since before it another sentence with
    a cue word mostly states the same problem.
    """
    queries: dict[str, set[int]] = {}
    golds: dict[str, int] = {}
    for pair in read_lines(mined / "pairs.jsonl"):
        if pair["move"] != "address":
            continue
        paper = pair["paper"]
        queries.setdefault(paper, set()).add(place_of(pair["queryId"]))
        gold = place_of(pair["goldId"])
        golds[paper] = min(gold, golds.get(paper, gold))
    positives, cued, plain = [], [], []
    for paper in read_lines(mined / "papers.jsonl"):
        chosen = queries.get(paper["id"])
        if chosen is None:
            continue
        for i, sentence in enumerate(paper["sentences"]):
            text = " ".join(sentence["text"].split())
            if i in chosen:
                positives.append(text)
            elif CUE.search(text) is None:
                plain.append(text)
            elif i >= golds[paper["id"]]:
                cued.append(text)
    draw = random.Random(seed)
    positives = draw.sample(positives, min(most, len(positives)))
    share = sum(CUE.search(text) is not None for text in positives)
    negatives = draw.sample(cued, min(share, len(cued)))
    negatives += draw.sample(plain, min(len(positives) - share, len(plain)))
    print(f"{mined}: {len(positives)} positives, {share} with a cue word; {len(negatives)} negatives")
    return positives + negatives, np.array([1] * len(positives) + [0] * len(negatives))
