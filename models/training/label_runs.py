"""Labels on what a whole system gives: queries and papers for `ratio judge run`, and its runs as candidates."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

from label_candidates import BOILERPLATE, COPY, Candidate
from label_corpus import SINCE, Query, Sentences, choose_claims, choose_queries, read_sentences
from label_sheets import Entry
from mined import paper_of, read_lines


def labelled_before(files: list[Path]) -> set[str]:
    """Ids of the queries of labels.jsonl files."""
    return {row["query"] for file in files for row in read_lines(file)}


def write_queries(
    mined: Path, split: str, count: int, seed: int, known: set[str], papers: list[Path], sentences: int, out: Path
) -> None:
    """
    OUT/queries-SPLIT.jsonl for `ratio judge run`, and OUT/papers-SPLIT.jsonl for `ratio pool add`: whole papers of
    `papers` drawn until they hold about `sentences`, none of them a query's.
    """
    chosen = choose_queries(mined, split, count, seed, SINCE if split == "train" else "", frozenset(known))
    write_chosen(chosen, split, f"{split}-{seed}", out)
    held: dict[str, int] = {}
    for row in read_lines(mined / "papers.jsonl"):
        held[row["id"]] = len(row["sentences"])
    used = {q.paper for q in chosen}
    order = sorted(held.keys() - used)
    Random(f"run pool {seed} {split}").shuffle(order)
    drawn, total = set(), 0
    for name in order:
        if total >= sentences:
            break
        drawn.add(name)
        total += held[name]
    written: set[str] = set()
    with (out / f"papers-{split}.jsonl").open("w", encoding="utf-8") as file:
        for path in papers:
            for row in read_lines(path):
                if row["id"] in drawn:
                    written.add(row["id"])
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    size = sum(held[name] for name in written)
    print(f"{split}: {len(chosen):,} queries, {len(written):,} papers, {size:,} sentences", file=sys.stderr)
    if missing := len(drawn - written):
        print(f"{split}: {missing:,} papers that were drawn are in none of the --papers files.", file=sys.stderr)


def write_chosen(chosen: list[Query], split: str, prefix: str, out: Path, kind: str = "queries") -> None:
    """Writes OUT/<kind>-<split>.jsonl, a query a line, numbered after `prefix`. Exits where the file is there already."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{kind}-{split}.jsonl"
    # Runs refer to queries by number: under the same names others would be taken for them.
    if path.exists():
        raise SystemExit(f"{path} is there already; choose another --out.")
    with path.open("w", encoding="utf-8") as file:
        for number, q in enumerate(chosen, 1):
            row = {"id": f"{prefix}-{number:04}", "move": q.move, "text": q.text, "query": q.id, "paper": q.paper}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_claims(mined: Path, split: str, count: int, seed: int, known: set[str], pool: Path, out: Path) -> None:
    """OUT/claims-SPLIT.jsonl with claims (`choose_claims`), none of a paper of `pool`, the papers-SPLIT.jsonl to ask."""
    without = frozenset(row["id"] for row in read_lines(pool))
    since = SINCE if split == "train" else ""
    chosen = choose_claims(mined, split, count, seed, since, frozenset(known), without)
    write_chosen(chosen, split, f"claim-{split}-{seed}", out, "claims")
    print(f"{split}: {len(chosen):,} claims", file=sys.stderr)


def read_run(path: Path) -> dict[str, list[str]]:
    """A TREC run: documents by query, best first."""
    found: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if len(parts) != 6 or not parts[3].isdigit():
            raise SystemExit(f"{path}:{number}: not a line of a TREC run (query Q0 document rank score tag)")
        found.setdefault(parts[0], []).append((int(parts[3]), parts[2]))
    return {query: [name for _, name in sorted(rows)] for query, rows in found.items()}


def words_of(text: str) -> set[str]:
    """The words of a text in lower case, punctuation included, as a set."""
    return {w.lower() for w in text.split()}


def alike(a: set[str], b: set[str]) -> bool:
    """Near-copies by their words; vectors are not at hand here."""
    return len(a & b) >= COPY * max(1, len(a | b))


def entries_of_runs(mined: Path, split: str, queries: Path, runs: dict[str, Path], most: int, known: list[Path]) -> list[Entry]:
    """
    Up to `most` candidates a query, taken from the runs in turn; each knows every run that has it, and its rank. What
    the labels.jsonl files `known` hold is not asked again.
    """
    labelled = {(row["move"], row["query"], row["sentence"]) for file in known for row in read_lines(file)}
    asked = [(row["id"], Query(row["query"], row["move"], row["text"], row["paper"], split)) for row in read_lines(queries)]
    lists = {name: read_run(path) for name, path in runs.items()}
    papers = {paper_of(d) for run in lists.values() for number, _ in asked for d in run.get(number, [])}
    if gone := papers - {row["id"] for row in read_lines(mined / "papers.jsonl")}:
        raise SystemExit(f"{mined} lacks {len(gone):,} papers of the runs, for one {min(gone)}: is it of another split?")
    sentences = read_sentences(mined, papers, 0, 0)
    place = {name: i for i, name in enumerate(sentences.ids)}
    entries: list[Entry] = []
    for number, query in asked:
        ranked = {
            name: [d for d in run.get(number, []) if (query.move, query.id, d) not in labelled] for name, run in lists.items()
        }
        candidates = taken_in_turn(query, ranked, place, sentences, most)
        if candidates:
            Random(f"runs {query.id}").shuffle(candidates)
            entries.append(Entry(query, candidates, sentences))
    return entries


def taken_in_turn(
    query: Query, ranked: dict[str, list[str]], place: dict[str, int], sentences: Sentences, most: int
) -> list[Candidate]:
    """At most `most` candidates, one of each run in turn by rank; not the query's paper, boilerplate or near-copies."""
    chosen: dict[int, Candidate] = {}
    seen = [words_of(query.text)]
    for depth in range(max(map(len, ranked.values()), default=0)):
        for mine in ranked.values():
            if depth >= len(mine) or len(chosen) >= most:
                continue
            row = place.get(mine[depth])
            if row is None or row in chosen or sentences.paper[row] == query.paper:
                continue
            words = words_of(sentences.text[row])
            if BOILERPLATE.search(sentences.shown[row]) or any(alike(words, other) for other in seen):
                continue
            seen.append(words)
            chosen[row] = Candidate(row)
    for name, mine in ranked.items():
        for rank, document in enumerate(mine, 1):
            row = place.get(document)
            if row in chosen:
                chosen[row].sources[name] = rank
    return list(chosen.values())
