"""Queries and sentences to label, drawn from what `ratio mine` wrote."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from mined import read_lines

SHARES = {"address": 0.5, "broaden": 0.25, "specify": 0.25}
WORDS = range(8, 46)
SINCE = "2020"
# In a draft few sentences announce a method or its results, in abstracts most do: some are kept.
KEEP_ANNOUNCING = 0.25
LEANING_START = re.compile(
    r"(it|its|they|their|them|he|she|such|both|here|there|our|another|one|as such|to (do|achieve) "
    r"(so|this|that)|next|first|second|third|finally|then|building (up)?on|"
    r"the (\S+ ){0,2}(proposed|resulting|two|three|first|second|third|last|methods?|models?|approach|"
    r"framework|(sub)?systems?|paper|idea|controller|algorithm|architecture|module|network|pipeline|"
    r"tasks?|results?|dataset|benchmark))\b",
    re.I,
)
# A pointer to an earlier sentence, wherever it stands; "that" mostly opens a clause.
LEANING = re.compile(
    r"\b(this|these|those|the (former|latter|above|aforementioned|said)|aforementioned|"
    r"as follows|the following|(of|by|with|for|in|to|from) (them|it)|"
    r"our (\w+ )?(approach|method|model|framework|system|work|algorithm|results|technique)|"
    r"we (also|then|further|next|finally|additionally))\b",
    re.I,
)
ANNOUNCING = re.compile(
    r"\b(we|i|the paper)\s+(\w+ly |also |then |first |here |hereby )?"
    r"(propos|present|introduc|develop|design|describ|conduct|provid|offer|construct|build|creat|"
    r"address|tackl|devis)|(is|are|of|the) proposed|"
    r"(extensive|comprehensive) experiments|experimental results",
    re.I,
)
# "NewNet employs …": a sentence about a system of the paper itself.
NAMED_SYSTEM = re.compile(r"\S*[A-Z]\S*[A-Z]\S*( \([^)]*\))? (\w+ly )?[a-z]+s\b")


@dataclass(frozen=True)
class Query:
    """A sentence that is asked about, with its move; `id` is `<paper>#<index>`."""

    id: str
    move: str
    text: str
    paper: str
    split: str


@dataclass
class Sentences:
    """Sentences in reading order, paper after paper; all lists run in parallel."""

    ids: list[str]
    shown: list[str]
    # Marker stripped, as the product embeds it.
    text: list[str]
    paper: list[str]
    # Place in its paper, and how many sentences the paper has.
    place: list[int]
    size: list[int]
    titles: dict[str, str]


def is_clear(text: str, move: str) -> bool:
    """Whether a reader understands `text` without the sentences around it."""
    text = text.strip()
    if len(text.split()) not in WORDS or not text[0].isupper() or text[-1] not in ".?!":
        return False
    if LEANING_START.match(text) or LEANING.search(text):
        return False
    return not (move == "address" and ANNOUNCING.search(text))


def one_a_paper(found: list[tuple[bool, float, Query]], wanted: int, papers: set[str], texts: set[str]) -> list[Query]:
    """The first `wanted`, none of a paper or a text that was taken; adds theirs to `papers` and `texts`."""
    chosen: list[Query] = []
    for _, _, query in sorted(found, key=lambda f: f[:2]):
        if len(chosen) >= wanted:
            break
        if query.paper not in papers and query.text.lower() not in texts:
            papers.add(query.paper)
            texts.add(query.text.lower())
            chosen.append(query)
    return chosen


def choose_queries(
    mined: Path, split: str, count: int, seed: int, since: str = "", known: frozenset[str] = frozenset()
) -> list[Query]:
    """At most one query a paper, `count` in all by SHARES; papers since `since` are taken first, `known` ids never."""
    random = Random(f"queries {seed} {split}")
    found: dict[str, list[tuple[bool, float, Query]]] = {move: [] for move in SHARES}
    for pair in read_lines(mined / "pairs.jsonl"):
        reversed_ = pair["move"] == "broaden-reversed"
        move = "broaden" if reversed_ else pair["move"]
        # Drawn for every pair, so that the choice does not hang on the filters.
        lot, keep = random.random(), random.random()
        if move not in found or pair["queryId"] in known or not is_clear(pair["query"], move):
            continue
        announcing = ANNOUNCING.search(pair["query"]) or NAMED_SYSTEM.match(pair["query"])
        if move != "address" and keep >= KEEP_ANNOUNCING and announcing:
            continue
        # True Broaden is rare, so it goes before the reversed pairs.
        order = lot if move != "broaden" or reversed_ else lot - 1
        query = Query(pair["queryId"], move, pair["query"].strip(), pair["paper"], split)
        found[move].append((str(pair["date"]) < since, order, query))
    chosen: list[Query] = []
    papers: set[str] = set()
    texts: set[str] = set()
    # The rarest move chooses first.
    for move in sorted(SHARES, key=lambda m: len(found[m])):
        wanted = round(count * SHARES[move])
        taken = one_a_paper(found[move], wanted, papers, texts)
        chosen += taken
        if wanted > len(taken):
            message = f"{mined}: {wanted - len(taken)} {move} queries fewer than asked for; no more clear ones."
            print(message, file=sys.stderr)
    random.shuffle(chosen)
    return chosen


FIRST_PERSON = re.compile(r"\b(we|our|ours|us|i|my|this (paper|work|study|article|thesis)|proposed)\b", re.I)
CONCRETE = re.compile(r"\d|\b[A-Z]{2,}|\b\w+[a-z][A-Z]\w*|\bet al\b|\b(for example|for instance|such as|e\.g\.)")
CONNECTED = re.compile(
    r"(however|but|yet|therefore|thus|hence|moreover|furthermore|additionally|in addition|consequently|in contrast|"
    r"in particular|specifically|for example|for instance|also|besides|nevertheless|as a result|similarly)\b",
    re.I,
)
AVAILABLE = re.compile(r"\b(code|data|dataset|material|models?)\b.*\bavailable\b|https?:", re.I)
#: Share of an abstract, from its start, in which claims are general; sections where they are.
EARLY = 0.4
CLAIMING = re.compile(r"introduction|related|background|discussion|motivation|conclusion", re.I)


def choose_claims(
    mined: Path, split: str, count: int, seed: int, since: str, known: frozenset[str], without: frozenset[str]
) -> list[Query]:
    """
    Plain statements as drafts have them, half for Broaden and half for Specify: sentences of no pair, without first
    person; for Specify general ones, for Broaden ones with a name, number or instance. At most one a paper, none of the
    papers `without`.
    """
    random = Random(f"claims {seed} {split}")
    found: dict[str, list[tuple[bool, float, Query]]] = {"broaden": [], "specify": []}
    paired = {row[end] for row in read_lines(mined / "pairs.jsonl") for end in ("queryId", "goldId")}
    for paper in read_lines(mined / "papers.jsonl"):
        sentences = paper["sentences"]
        lots = [random.random() for _ in sentences]
        if paper["id"] in without:
            continue
        for place, (row, lot) in enumerate(zip(sentences, lots)):
            section = row.get("section")
            abstract = section is None or section == "Abstract"
            if not abstract and not CLAIMING.search(section):
                continue
            text = row["text"].strip()
            if row["id"] in known or row["id"] in paired or not is_clear(text, "specify"):
                continue
            if any(p.search(text) for p in (FIRST_PERSON, ANNOUNCING, AVAILABLE)):
                continue
            if CONNECTED.match(text) or NAMED_SYSTEM.match(text):
                continue
            concrete = CONCRETE.search(text) is not None
            if not concrete and abstract and place >= EARLY * len(sentences):
                continue
            move = "broaden" if concrete else "specify"
            query = Query(row["id"], move, text, paper["id"], split)
            found[move].append((str(paper["date"]) < since, lot, query))
    chosen: list[Query] = []
    papers: set[str] = set()
    texts: set[str] = set()
    for move in found:
        chosen += one_a_paper(found[move], count // 2, papers, texts)
    random.shuffle(chosen)
    return chosen


def read_sentences(mined: Path, needed: set[str], size: int, seed: int) -> Sentences:
    """Whole papers drawn until `size` sentences are there, and the papers `needed`."""
    counts: list[tuple[str, int]] = []
    for paper in read_lines(mined / "papers.jsonl"):
        counts.append((paper["id"], len(paper["sentences"])))
    order = sorted(counts)
    Random(f"pool {seed}").shuffle(order)
    drawn, total = set(needed), 0
    for paper_id, count in order:
        if total >= size:
            break
        drawn.add(paper_id)
        total += count
    missing = needed - {paper_id for paper_id, _ in counts}
    if missing:
        count = f"{len(missing)} papers of pairs.jsonl"
        raise SystemExit(f"{mined}: papers.jsonl lacks {count}, for one {min(missing)}")
    made = Sentences([], [], [], [], [], [], {})
    for paper in read_lines(mined / "papers.jsonl"):
        if paper["id"] not in drawn:
            continue
        made.titles[paper["id"]] = paper.get("title") or ""
        for place, sentence in enumerate(paper["sentences"]):
            made.ids.append(sentence["id"])
            made.shown.append(" ".join(sentence["text"].split()))
            made.paper.append(paper["id"])
            made.place.append(place)
            made.size.append(len(paper["sentences"]))
    made.text = _stripped(mined / "pool.jsonl", made)
    return made


def _stripped(pool: Path, sentences: Sentences) -> list[str]:
    texts = dict(zip(sentences.ids, sentences.shown))
    for line in read_lines(pool):
        if line["id"] in texts:
            texts[line["id"]] = " ".join(line["text"].split())
    return [texts[i] for i in sentences.ids]
