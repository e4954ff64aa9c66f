"""Reads filled-in sheets by their key into labels by ids."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from mined import read_lines


@dataclass
class Triple:
    """A query, a move and a sentence, with what every reader said of them."""

    move: str
    query: str
    sentence: str
    split: str
    sources: set[str] = field(default_factory=set)
    # (reader, label), the main sheet's first.
    given: list[tuple[int, int]] = field(default_factory=list)

    @property
    def label(self) -> int:
        """1 only where every reader says so."""
        return min(label for _, label in self.given)

    def record(self) -> dict:
        """A line of labels.jsonl."""
        made = {
            "move": self.move,
            "query": self.query,
            "sentence": self.sentence,
            "split": self.split,
            "label": self.label,
            "reader": self.given[0][0],
            "sources": sorted(self.sources),
        }
        if len(self.given) > 1:
            made["first"] = self.given[0][1]
            made["second"] = self.given[1][1]
            made["secondReader"] = self.given[1][0]
        return made


def read_answers(file: Path, entries: dict[int, dict]) -> tuple[dict[int, set[str]], list[str]]:
    """The letters labelled 1 by entry, and what is wrong with the file, by line."""
    answers: dict[int, set[str]] = {}
    wrong: list[str] = []
    named: set[int] = set()
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return answers, [f"{file}: cannot be read, the sheet is not filled in ({error})"]
    for place, text in enumerate(lines, 1):
        if not text.strip() or text.strip().startswith("```"):
            continue
        where = f"{file}:{place}"
        parts = re.match(r"\s*(\d+)[.):]?\s+(\S.*?)\s*$", text)
        if parts is None:
            said = text.strip()[:60]
            wrong.append(f"{where}: not `number<TAB>letters` or `number<TAB>-`: {said!r}")
            continue
        named.add(number := int(parts[1]))
        letters = set(re.sub(r"[\s,;]", "", parts[2]).lower())
        if number not in entries:
            wrong.append(f"{where}: the sheet has no entry {number}")
        elif number in answers:
            wrong.append(f"{where}: entry {number} is answered twice")
        elif letters == {"-"}:
            answers[number] = set()
        elif unknown := sorted(letters - set(entries[number]["candidates"])):
            wrong.append(f"{where}: entry {number} has no candidate {', '.join(unknown)}")
        else:
            answers[number] = letters
    for number in sorted(set(entries) - named):
        wrong.append(f"{file}: entry {number} has no answer")
    return answers, wrong


def read_round(
    folder: Path, offset: int, encoders: list[str], triples: dict[tuple[str, str, str], Triple]
) -> tuple[dict, int, list[str]]:
    """Adds the labels of one `sheets` folder; returns its settings, its sheets, and its errors.

    `encoders` collects encoder ids: `dense:NAME` becomes `dense1` where NAME's encoder is its first.
    """
    sheets: dict[int, dict[int, dict]] = defaultdict(dict)
    about: dict = {}
    for record in read_lines(folder / "key.jsonl"):
        if "about" in record:
            about = record["about"]
            encoders += [i for i in about["encoders"].values() if i not in encoders]
        else:
            sheets[record["sheet"]][record["number"]] = record
    wrong: list[str] = []

    def source(name: str) -> str:
        kind, _, encoder = name.partition(":")
        return f"{kind}{encoders.index(about['encoders'][encoder]) + 1}" if encoder else kind

    for sheet, entries in sorted(sheets.items()):
        answers, faults = read_answers(folder / f"sheet-{sheet:02}" / "answers.txt", entries)
        wrong += faults
        for number, ones in sorted(answers.items()):
            entry = entries[number]
            for letter, candidate in entry["candidates"].items():
                key = (entry["move"], entry["query"], candidate["id"])
                triple = triples.setdefault(key, Triple(*key, entry["split"]))
                triple.sources |= {source(name) for name in candidate["sources"]}
                triple.given.append((offset + sheet, int(letter in ones)))
    return about, max(sheets, default=0), wrong


def kappa(pairs: list[tuple[int, int]]) -> float | None:
    """Cohen's kappa of two readers' labels (Cohen, 1960); None where chance alone agrees fully."""
    n = len(pairs)
    if n == 0:
        return None
    observed = sum(a == b for a, b in pairs) / n
    first, second = (sum(pair[i] for pair in pairs) / n for i in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (observed - chance) / (1 - chance)


def agreement(triples: list[Triple]) -> dict:
    """How many triples were labelled twice, the share of equal labels and Cohen's kappa; None without any."""
    pairs = [(t.given[0][1], t.given[1][1]) for t in triples if len(t.given) > 1]
    value = kappa(pairs)
    return {
        "twice": len(pairs),
        "agree": round(sum(a == b for a, b in pairs) / len(pairs), 4) if pairs else None,
        "kappa": None if value is None else round(value, 4),
    }


def counts(triples: list[Triple]) -> dict:
    """Triples, those of label 1, and their share; there must be some triples."""
    ones = sum(t.label for t in triples)
    return {"triples": len(triples), "ones": ones, "rate": round(ones / len(triples), 4)}


def report(triples: list[Triple]) -> dict:
    """Counts, rates of ones and agreement: in all, by move, by split, by move and source, by reader."""
    moves = sorted({t.move for t in triples})
    by_source: dict[str, dict] = {}
    for move in moves:
        same = [t for t in triples if t.move == move]
        names = sorted({name for t in same for name in t.sources})
        by_source[move] = {name: counts([t for t in same if name in t.sources]) for name in names}
    readers: dict[int, list[int]] = defaultdict(list)
    for t in triples:
        for reader, label in t.given:
            readers[reader].append(label)
    return {
        "all": counts(triples) | {"queries": len({(t.move, t.query) for t in triples})} | agreement(triples),
        "moves": {
            move: counts(same := [t for t in triples if t.move == move])
            | {
                "queries": len({t.query for t in same}),
                "queriesWithOne": len({t.query for t in same if t.label}),
            }
            | agreement(same)
            for move in moves
        },
        "splits": {split: counts([t for t in triples if t.split == split]) for split in sorted({t.split for t in triples})},
        "sources": by_source,
        "readers": {str(reader): round(sum(given) / len(given), 4) for reader, given in sorted(readers.items())},
    }


def show(made: dict) -> str:
    """`report` as lines to read."""

    def said(name: str, one: dict) -> str:
        text = f"{name:<34}{one['triples']:>7,} triples {one['ones']:>6,} ones {one['rate']:>7.1%}"
        if one.get("twice"):
            value = "undefined" if one["kappa"] is None else f"{one['kappa']:.3f}"
            text += f"  twice {one['twice']:,}: agree {one['agree']:.1%}, kappa {value}"
        return text

    lines = [said("all", made["all"])]
    lines += [said(name, one) for part in ("splits", "moves") for name, one in made[part].items()]
    for move, sources in made["sources"].items():
        lines += [said(f"{move} {name}", one) for name, one in sources.items()]
    rates = ", ".join(f"{reader} {rate:.0%}" for reader, rate in made["readers"].items())
    return "\n".join([*lines, f"rate of ones by reader: {rates}"])


def lost(out: Path, made: dict[tuple[str, str, str], Triple]) -> list[tuple[str, str, str]]:
    """Triples that `out` holds and `made` lacks: labels of rounds whose folders were not given."""
    if not out.exists():
        return []
    held = [(row.get("move"), row.get("query"), row.get("sentence")) for row in read_lines(out)]
    return [key for key in held if key not in made]


def merge(folders: list[Path], out: Path, partial: bool, replace: bool = False) -> int:
    """
    Writes `out` and its report; 1, and nothing written, where answers are faulty or missing, or, without `replace`, where
    labels in `out` would be lost.
    """
    triples: dict[tuple[str, str, str], Triple] = {}
    encoders: list[str] = []
    rounds: list[dict] = []
    wrong: list[str] = []
    offset = 0
    for folder in folders:
        about, sheets, faults = read_round(folder, offset, encoders, triples)
        rounds.append({"readers": [offset + 1, offset + sheets]} | about)
        offset += sheets
        wrong += faults
    for fault in wrong:
        print(fault)
    if wrong and not partial:
        print(f"{len(wrong)} faults, nothing written. Mend them, or leave them out with --partial.")
        return 1
    if not triples:
        print("No labels; nothing written.")
        return 1
    if (gone := lost(out, triples)) and not replace:
        print(
            f"{out} holds {len(gone):,} triples that these sheets lack, for one {' '.join(map(str, gone[0]))}; nothing written. "
            "Name the folders of all rounds after --sheets, choose another --out, or give --replace to lose them."
        )
        return 1
    made = sorted(triples.values(), key=lambda t: (t.split, t.move, t.query, t.sentence))
    numbers = report(made)
    compact = {"ensure_ascii": False, "separators": (",", ":")}
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(t.record(), **compact) + "\n" for t in made)
    out.write_text(lines, encoding="utf-8", newline="\n")
    beside = out.with_suffix(".report.json")
    numbered = {str(number): name for number, name in enumerate(encoders, 1)}
    whole = json.dumps({"rounds": rounds, "encoders": numbered, **numbers}, indent=2)
    beside.write_text(whole + "\n", encoding="utf-8", newline="\n")
    print(show(numbers))
    print(f"{out}: {len(made):,} triples; figures in {beside}")
    return 0
