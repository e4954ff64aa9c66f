"""The reranker's examples as flat arrays in one file: numbers, token ids and places, no text."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

#: How a passage was found.
KINDS = ("gold", "move", "plain", "opposite", "labelled", "bm25")
GOLD, MOVE_HIT, PLAIN, OPPOSITE_HIT, LABELLED, LEXICAL = range(len(KINDS))
UNKNOWN = -1


@dataclass
class Examples:
    """
    `*_starts[i]` … `*_starts[i + 1]` are what belongs to i. Sentences are stored once each; an entry is a
    sentence in a passage, with its features for that query.
    """

    # Sentences: token ids without special ones, soft roles (n, 3) where known.
    tokens: np.ndarray
    token_starts: np.ndarray
    roles: np.ndarray
    role_known: np.ndarray
    # Queries: token ids with the move's prompt, number of the move, the gold sentence or -1, and the rank
    # that the retriever gave it in the pool (0: not sought).
    query_tokens: np.ndarray
    query_starts: np.ndarray
    move: np.ndarray
    gold: np.ndarray
    rank: np.ndarray
    example_starts: np.ndarray
    # Passages.
    kind: np.ndarray
    hit: np.ndarray
    passage_bm25: np.ndarray
    passage_starts: np.ndarray
    # Entries; `near` is the cosine with the gold sentence, in its passage alone.
    sentence: np.ndarray
    cosine: np.ndarray
    before: np.ndarray
    bm25: np.ndarray
    near: np.ndarray
    label: np.ndarray
    names: list[str]

    def __len__(self) -> int:
        return len(self.move)

    def passages(self, example: int) -> range:
        """Numbers of an example's passages, in order."""
        return range(self.example_starts[example], self.example_starts[example + 1])

    def entries(self, passage: int) -> slice:
        """Places of a passage's entries."""
        return slice(self.passage_starts[passage], self.passage_starts[passage + 1])

    def query(self, example: int) -> np.ndarray:
        """Token ids of an example's query, prompt included."""
        return self.query_tokens[self.query_starts[example] : self.query_starts[example + 1]]

    def sentence_tokens(self, sentence: int) -> np.ndarray:
        """Token ids of a stored sentence."""
        return self.tokens[self.token_starts[sentence] : self.token_starts[sentence + 1]]

    def features(self, passage: int) -> np.ndarray:
        """(m, 4) in the order of rerank_model.FEATURES."""
        at = self.entries(passage)
        whole = np.full(at.stop - at.start, self.passage_bm25[passage], np.float32)
        return np.stack([self.cosine[at], self.before[at], self.bm25[at], whole], 1).astype(np.float32)

    def save(self, path: Path) -> None:
        """Writes the file whole or not at all."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "names"}
        part = path.with_suffix(".part.npz")
        np.savez(part, **arrays, names=np.frombuffer(json.dumps(self.names).encode(), np.uint8))
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Examples:
        """What `save` wrote. Exits where there is no such file."""
        if not path.exists():
            raise SystemExit(f"{path} is missing. Run rerank_data.py first.")
        with np.load(path) as kept:
            arrays = {name: kept[name] for name in kept.files}
        return Examples(**arrays | {"names": json.loads(arrays["names"].tobytes())})

    @staticmethod
    def where(path: Path) -> Examples | None:
        """What lies there, or None."""
        return Examples.load(path) if path.exists() else None


class Writer:
    """Collects examples one by one; `made` gives them as arrays."""

    def __init__(self) -> None:
        self.rows: dict[str, list] = {f.name: [] for f in fields(Examples)}
        self.starts: dict[str, list[int]] = {name: [0] for name in ("query_starts", "example_starts", "passage_starts")}
        self.place: dict[int, int] = {}

    def local(self, sentence: int) -> int:
        """The place at which a sentence of the corpus is stored."""
        return self.place.setdefault(sentence, len(self.place))

    def passage(self, kind: int, hit: int, bm25_whole: float, sentences: list[int], **columns) -> None:
        """`hit`: place among `sentences`; `columns`: cosine, before, bm25, near and label of each."""
        self.rows["kind"].append(kind)
        self.rows["hit"].append(hit)
        self.rows["passage_bm25"].append(bm25_whole)
        self.rows["sentence"] += [self.local(s) for s in sentences]
        for name, values in columns.items():
            self.rows[name] += list(values)
        self.starts["passage_starts"].append(len(self.rows["sentence"]))

    def example(self, name: str, move: int, query_tokens: list[int], gold: int | None, rank: int) -> None:
        """Ends an example whose passages have been written."""
        self.rows["names"].append(name)
        self.rows["move"].append(move)
        self.rows["query_tokens"] += query_tokens
        self.rows["gold"].append(-1 if gold is None else self.local(gold))
        self.rows["rank"].append(rank)
        self.starts["query_starts"].append(len(self.rows["query_tokens"]))
        self.starts["example_starts"].append(len(self.rows["kind"]))

    def made(self, tokens: list[list[int]], roles: np.ndarray, role_known: np.ndarray) -> Examples:
        """`tokens`, `roles` and `role_known` are the whole corpus's."""
        order = sorted(self.place, key=self.place.__getitem__)
        lengths = [len(tokens[s]) for s in order]
        small = {name: np.array(self.rows[name], np.float16) for name in ("cosine", "before", "bm25", "near", "passage_bm25")}
        return Examples(
            tokens=np.array([t for s in order for t in tokens[s]], np.int32),
            token_starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            roles=roles[order].astype(np.float16).reshape(-1, 3),
            role_known=role_known[order],
            query_tokens=np.array(self.rows["query_tokens"], np.int32),
            move=np.array(self.rows["move"], np.int8),
            gold=np.array(self.rows["gold"], np.int64),
            rank=np.array(self.rows["rank"], np.int64),
            kind=np.array(self.rows["kind"], np.int8),
            hit=np.array(self.rows["hit"], np.int16),
            sentence=np.array(self.rows["sentence"], np.int64),
            label=np.array(self.rows["label"], np.int8),
            names=self.rows["names"],
            **{name: np.array(values, np.int64) for name, values in self.starts.items()},
            **small,
        )
