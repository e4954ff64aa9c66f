"""Writes the sheets that readers label, and the key to them."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from label_candidates import Candidate
from label_corpus import Query, Sentences
from mined import MOVES

LETTERS = string.ascii_lowercase
TITLE = 90

RUBRIC = """\
# Which sentences make the move?

Each entry has a number, a move, a query sentence from a draft and lettered candidates from other
papers: `[title] sentence before ▸ **candidate** ▸ sentence after` (neighbours may be cut, or
missing). Label a candidate 1 only if it makes the requested move *for this very query* and the
draft's author could use it there; otherwise 0.

| move | 1 | 0 |
|---|---|---|
| address | puts forward a response to the query's problem, or shows that one works; a clearly analogous problem counts | says \
the problem again; says that it exists; shares the topic only; solves another problem of that topic |
| broaden | states the query's idea on a more general level, or makes it a case of something wider | same level in other \
words; narrower; merely names the field |
| specify | makes the query's idea concrete: an instance, mechanism, setting, measurement or sub-problem of it | same level in \
other words; wider; an instance of something else |

Examples (invented):
- address, "Long recordings exceed the memory of speech recognisers." 1: "Carrying a compressed state from window to window \
lets the recogniser read hours of audio in constant memory." 0: "Memory limits remain an obstacle to long-form recognition." \
0: "We collect 900 hours of meetings."
- broaden, "Our tagger confuses nouns and verbs in recipes." 1: "Taggers trained on news lose accuracy in other genres." 0: "A \
lexicon of cooking verbs lowers the error on recipes."
- specify, "Planners ought to react when the world changes." 1: "The robot replans whenever a tracked obstacle leaves its \
predicted path." 0: "Adaptivity is essential to autonomy."

- The candidate itself must make the move. Its neighbours and title are only for understanding it:
  a candidate whose neighbour makes the move is 0.
- Same words, rhetoric or topic are not enough. Mind the direction: narrower is not broaden, wider
  is not specify.
- When unsure, 0. Any number of candidates may be 1, also none. The same sentence gets the same
  label wherever it serves the same query.
- Judge by reading, one entry after the other; no scripts or word matching. Look at nothing but this
  file.

**Answer** in a file `answers.txt` beside this one: one line an entry, every entry, as
`number<TAB>letters labelled 1, without spaces, or -`. For instance:

```
1	bf
2	-
```
"""


@dataclass(frozen=True)
class Entry:
    """A query of a sheet and its candidates, at most one a letter."""

    query: Query
    candidates: Sequence[Candidate]
    sentences: Sentences


def cut(text: str, most: int) -> str:
    """`text` up to `most` characters, ended at a word."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


def line(letter: str, row: int, sentences: Sentences, side: int) -> str:
    """A candidate as a line of a sheet, with its neighbours cut to `side` characters."""
    place, size = sentences.place[row], sentences.size[row]
    parts = [f"[{cut(sentences.titles[sentences.paper[row]], TITLE)}]"]
    if place > 0:
        parts.append(f"{cut(sentences.shown[row - 1], side)} ▸")
    # Asterisks of the text would end the emphasis.
    parts.append(f"**{sentences.shown[row].replace('**', '')}**")
    if place < size - 1:
        parts.append(f"▸ {cut(sentences.shown[row + 1], side)}")
    return f"{letter}) {' '.join(parts)}"


def write_sheet(folder: Path, entries: list[Entry], side: int) -> None:
    """Writes FOLDER/sheet.md; FOLDER must not be there yet."""
    blocks = [RUBRIC]
    for number, entry in enumerate(entries, 1):
        lines = [f"## {number} {entry.query.move}", entry.query.text]
        for letter, candidate in zip(LETTERS, entry.candidates):
            lines.append(line(letter, candidate.row, entry.sentences, side))
        blocks.append("\n".join(lines) + "\n")
    folder.mkdir(parents=True)
    (folder / "sheet.md").write_text("\n".join(blocks), encoding="utf-8", newline="\n")


def deal(entries: list[Entry], per_sheet: int, random: Random) -> list[list[Entry]]:
    """Sheets of nearly equal length and mixture; within each, the queries of a move are together."""
    entries = list(entries)
    random.shuffle(entries)
    entries.sort(key=lambda entry: entry.query.move)
    sheets = -(-len(entries) // per_sheet)
    dealt = [entries[i::sheets] for i in range(sheets)]
    for sheet in dealt:
        moves = list(MOVES)
        random.shuffle(moves)
        sheet.sort(key=lambda entry: moves.index(entry.query.move))
    return dealt


def tenth(entries: list[Entry], share: float, random: Random) -> list[Entry]:
    """`share` of the entries of every move, their candidates in a new order."""
    chosen: list[Entry] = []
    for move in MOVES if share else ():
        same = [entry for entry in entries if entry.query.move == move]
        # At least two of each, so that every move's agreement is seen.
        for entry in random.sample(same, min(len(same), max(2, round(len(same) * share)))):
            candidates = list(entry.candidates)
            random.shuffle(candidates)
            chosen.append(Entry(entry.query, candidates, entry.sentences))
    return chosen


def write_all(out: Path, entries: list[Entry], per_sheet: int, share: float, side: int, seed: int, about: dict) -> dict:
    """Writes OUT/sheet-NN/sheet.md and OUT/key.jsonl; returns what was written, in numbers."""
    random = Random(f"sheets {seed}")
    once = deal(entries, per_sheet, random)
    twice = deal(tenth(entries, share, random), per_sheet, random)
    key = [json.dumps({"about": about}, ensure_ascii=False)]
    for number, sheet in enumerate([*once, *twice], 1):
        name = f"sheet-{number:02}"
        write_sheet(out / name, sheet, side)
        for place, entry in enumerate(sheet, 1):
            candidates = {
                letter: {"id": entry.sentences.ids[c.row], "sources": c.sources} for letter, c in zip(LETTERS, entry.candidates)
            }
            query = entry.query
            record = {
                "sheet": number,
                "number": place,
                "second": number > len(once),
                "move": query.move,
                "query": query.id,
                "split": query.split,
                "candidates": candidates,
            }
            key.append(json.dumps(record, ensure_ascii=False))
    (out / "key.jsonl").write_text("\n".join(key) + "\n", encoding="utf-8", newline="\n")
    return {
        "queries": len(entries),
        "triples": sum(len(entry.candidates) for entry in entries),
        "sheets": len(once),
        "secondSheets": len(twice),
        "twice": sum(len(sheet) for sheet in twice),
    }
