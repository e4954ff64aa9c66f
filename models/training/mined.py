"""What `ratio mine` wrote, as the trainer reads it: pairs by move, and papers as lists of sentences."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

MOVES = ("address", "broaden", "specify")


@dataclass(frozen=True)
class Pair:
    """A query and the sentence that makes the move for it. Ids are `<paper>#<index>`."""

    move: str
    query: str
    gold: str
    query_id: str
    gold_id: str
    paper: str


@dataclass
class Paper:
    """`texts[i]` is the sentence of id `ids[i]`, in the paper's order."""

    title: str
    ids: list[str]
    texts: list[str]
    place: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.place = {name: i for i, name in enumerate(self.ids)}


def paper_of(sentence: str) -> str:
    """The paper's id in that of a sentence, `<paper>#<index>`; a paper's own id as it is."""
    return sentence.rsplit("#", 1)[0]


def place_of(sentence: str) -> int:
    """The index in a sentence's id, `<paper>#<index>`: its place in the paper, from 0."""
    return int(sentence.rsplit("#", 1)[1])


def read_lines(file: Path) -> Iterator[dict]:
    """The JSON objects of `file`, one a line; gzipped or not. Exits with what is wrong, by line."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise SystemExit(f"{file}:{number}: not JSON: {error}") from error
    except OSError as error:
        raise SystemExit(f"{file}: cannot be read: {error.strerror or error}. Run `ratio mine` first.") from error


def benchmark_papers(folders: list[Path]) -> frozenset[str]:
    """
    Papers with a true Broaden pair: of what `ratio bench build --held-out` takes the benchmark asks them, so nothing
    of theirs is to be trained on.
    """
    return frozenset(row["paper"] for folder in folders for row in read_lines(folder / "pairs.jsonl") if row["move"] == "broaden")


def read_papers(folder: Path, without: frozenset[str] = frozenset()) -> dict[str, Paper]:
    """Papers by id, save those of the ids `without`."""
    papers = {}
    for row in read_lines(folder / "papers.jsonl"):
        if row["id"] in without:
            continue
        sentences = row["sentences"]
        papers[row["id"]] = Paper(row["title"], [s["id"] for s in sentences], [s["text"] for s in sentences])
    return papers


def use_stripped(folder: Path, papers: dict[str, Paper]) -> None:
    """Puts the texts that are embedded (markers stripped) in the place of the papers' sentences."""
    for row in read_lines(folder / "pool.jsonl"):
        paper = papers.get(row["paper"])
        place = None if paper is None else paper.place.get(row["id"])
        if place is not None:
            paper.texts[place] = row["text"]


def read_labels(path: Path, split: str = "train", without: frozenset[str] = frozenset()) -> dict[tuple[str, str], dict[str, int]]:
    """
    Labels of a split, as labels.py merge writes them: (move, query id) to sentence id to 0 or 1. `without`: ids of
    queries to leave out.
    """
    labels: dict[tuple[str, str], dict[str, int]] = {}
    for row in read_lines(path):
        if row["split"] == split and row["query"] not in without:
            labels.setdefault((row["move"], row["query"]), {})[row["sentence"]] = row["label"]
    return labels


def asked_queries(files: list[Path]) -> frozenset[str]:
    """Ids, as labels have them, of the queries in files of `labels.py queries`."""
    made = set()
    for file in files:
        for number, row in enumerate(read_lines(file), 1):
            if "query" not in row or "text" not in row:
                wrong = f"{file}: row {number} is no query of `labels.py queries`"
                raise SystemExit(f"{wrong}; --without takes the files that it writes.")
            made.add(row["query"])
    return frozenset(made)


def read_pairs(folder: Path, without: frozenset[str] = frozenset()) -> list[Pair]:
    """Pairs of a folder; reversed ones count as Broaden. `without`: papers whose pairs are left out."""
    pairs = []
    for row in read_lines(folder / "pairs.jsonl"):
        if row["paper"] in without:
            continue
        move = row["move"].removesuffix("-reversed")
        pairs.append(Pair(move, row["query"], row["gold"], row["queryId"], row["goldId"], row["paper"]))
    return pairs


PROBLEM = re.compile(
    r"\b(?:however|but|yet|unfortunately|challeng\w+|limit(?:ed|s|ations?)|difficult\w*|lack\w*|suffer\w*|"
    r"fail(?:s|ed|ures?)?|bottleneck|remains?|scarc\w+|expensive|costly|hinder\w*|struggl\w+|under-?explored|"
    r"unclear|gap|drawbacks?|prohibitive\w*|not yet|neglect\w*|ignor\w+|overlook\w*|problem)\b",
    re.I,
)
OPENING = re.compile(
    r"^(?:in|with|through) (?:this|the present) (?:paper|work|study|article|letter|research|thesis)\s*,?\s+", re.I
)
RESPONSE = re.compile(
    r"^(?:here,? )?(?:we|this (?:paper|work|study|article)|our (?:approach|method|work)) (?:\w+ly )?"
    r"(?:therefore |thus |then |also )?(?:propos|introduc|present|develop|design|describ|address|tackl|offer|provid|"
    r"establish|devis|formulat|construct|build|show|demonstrat)\w*",
    re.I,
)


def _fit(text: str) -> bool:
    return 6 <= len(text.split()) <= 60


def adjacent_responses(papers: dict[str, Paper], known: set[str]) -> list[Pair]:
    """
    Weakly supervised Address pairs: a sentence with a cue of a problem, directly followed by what
    the authors do about it. They carry no marker, so the miner leaves them out; they are for
    training alone. `known`: ids of queries that have a mined pair already.
    """
    pairs = []
    for name, paper in papers.items():
        for i in range(len(paper.texts) - 1):
            query, raw = paper.texts[i], paper.texts[i + 1]
            gold = OPENING.sub("", raw)
            if not RESPONSE.search(gold) or not PROBLEM.search(query) or RESPONSE.search(OPENING.sub("", query)):
                continue
            if paper.ids[i] in known or not _fit(query) or not _fit(gold):
                continue
            gold = gold[:1].upper() + gold[1:]
            pairs.append(Pair("address", query, gold, paper.ids[i], paper.ids[i + 1], name))
    return pairs


ELABORATION = re.compile(
    r"^(?:it|its|they|their|this|these|that|those|such|however|but|yet|while|although|despite|finally|we also|also|moreover|"
    r"furthermore|in addition|additionally|extensive|experiment\w*|results?|the results|our results|evaluat\w+|here)\b",
    re.I,
)
OUTCOME = re.compile(
    r"\b(?:outperform\w*|state-of-the-art|experiment\w*|results|achiev\w+|evaluat\w+|improve[sd]?|demonstrat\w+|"
    r"available|code|superior\w*|show(?:s|ed|n)?|better than)\b|%",
    re.I,
)


def adjacent_elaborations(papers: dict[str, Paper], known: set[str]) -> list[Pair]:
    """
    Weakly supervised Specify pairs: a sentence that announces what the authors do, directly followed by one that says
    how: no outcome, no pronoun at its start. For training alone. `known`: ids of queries that have a mined pair.
    """
    pairs = []
    for name, paper in papers.items():
        for i in range(len(paper.texts) - 1):
            query, gold = OPENING.sub("", paper.texts[i]), paper.texts[i + 1]
            if not RESPONSE.search(query) or ELABORATION.search(gold) or OUTCOME.search(gold):
                continue
            if paper.ids[i] in known or not _fit(query) or not _fit(gold):
                continue
            query = query[:1].upper() + query[1:]
            pairs.append(Pair("specify", query, gold, paper.ids[i], paper.ids[i + 1], name))
    return pairs


def with_texts_of(papers: dict[str, Paper], pairs: list[Pair]) -> list[Pair]:
    """Pairs of sentences of `papers` with the texts that these have now: those embedded, after use_stripped."""

    def text_of(paper: Paper, sentence: str) -> str:
        return paper.texts[paper.place[sentence]]

    both = ((pair, papers[pair.paper]) for pair in pairs)
    return [replace(p, query=text_of(paper, p.query_id), gold=text_of(paper, p.gold_id)) for p, paper in both]


def reversed_pair(pair: Pair) -> Pair:
    """A Specify pair as a Broaden one."""
    return Pair("broaden", pair.gold, pair.query, pair.gold_id, pair.query_id, pair.paper)
