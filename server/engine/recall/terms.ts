/** From a query's text to a full-text expression that is both telling and quick to answer. */
import Database from 'libsql';
import { words } from './text';

/**
 * Words that say nothing about a topic: function words, and those that every abstract has. They
 * are dropped before stemming.
 */
const STOP = new Set(
  `a about above across after again against all almost along already also although always among an
  and another any are aren as at be became because become been before being below between both but
  by can cannot could did didn do does doesn doing don done down due during each either else ever
  every few for from further get gets give given gives had has hasn have haven having he hence her
  here hers him his how however i if in indeed instead into is isn it its itself just last least
  less let like likely made mainly make makes many may me might more moreover most mostly much must
  my namely near need neither never nevertheless no nor not nothing now of off often on once one
  only onto or other others otherwise our ours out over own per perhaps quite rather really s same
  say second see seem seems several shall she should since so some such t than that the their theirs
  them themselves then there thereby therefore these they third this those though three through thus
  to together too toward towards two under unless until up upon us use used uses using usually very
  via was wasn we well were weren what when where whereas whether which while who whom whose why
  will with within without would yet you your yours
  paper work show shows propose proposes proposed present presents approach method methods results`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** A lexical query: rarest terms up to this many, … */
const MAX_TERMS = 14;
/** … and no further once their postings together are this share of the pool's sentences … */
const POSTINGS_SHARE = 0.1;
/** … or, in a large pool, this many: they take some 5.5 µs each, before the first results. */
const MAX_POSTINGS = 50_000;
/** In a small pool every term is cheap. */
const MIN_POSTINGS = 5000;

/** A word of a query, and the term that FTS5's tokenizer makes of it. */
export type Term = { word: string; stem: string };

/** More words than this are not looked at: a query is a few sentences. */
const MAX_WORDS = 200;

/**
 * Stems words just as FTS5's tokenizer does, by asking it: an in-memory table with the same
 * tokenizer, whose vocabulary is read back. (Porter's stem of a stem may be another one, so full
 * text is asked for the words, and the stems only tell how rare they are.)
 */
export class Stemmer {
  private readonly database = new Database(':memory:');
  private readonly insert;
  private readonly read;
  private readonly clear;

  constructor() {
    this.database.exec(
      `CREATE VIRTUAL TABLE q USING fts5(text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
       CREATE VIRTUAL TABLE v USING fts5vocab(q, 'instance');`,
    );
    this.insert = this.database.prepare('INSERT INTO q (rowid, text) VALUES (?, ?)');
    this.read = this.database.prepare('SELECT term, doc FROM v');
    this.clear = this.database.prepare('DELETE FROM q');
  }

  /** A text's terms, one for every distinct stem, stop words left out. */
  terms(text: string): Term[] {
    const distinct = [...new Set(words(text))]
      .filter((word) => word.length > 1 && !STOP.has(word))
      .slice(0, MAX_WORDS);
    this.database.exec('BEGIN');
    try {
      distinct.forEach((word, row) => this.insert.run([row + 1, word]));
      const found = new Map<string, Term>();
      for (const { term, doc } of this.read.all() as { term: string; doc: number }[]) {
        const word = distinct[doc - 1];
        if (word !== undefined && !found.has(term)) found.set(term, { word, stem: term });
      }
      return [...found.values()];
    } finally {
      this.clear.run([]);
      this.database.exec('COMMIT');
    }
  }

  close(): void {
    this.database.close();
  }
}

/** The terms to ask a pool for: those it has, rarest first, within the limits above. */
export function chooseTerms(
  terms: Term[],
  frequency: (stem: string) => number,
  sentences: number,
): Term[] {
  const budget = Math.max(MIN_POSTINGS, Math.min(MAX_POSTINGS, POSTINGS_SHARE * sentences));
  const ranked = terms
    .map((term) => ({ term, df: frequency(term.stem) }))
    .filter(({ df }) => df > 0)
    .sort((a, b) => a.df - b.df || (a.term.stem < b.term.stem ? -1 : 1));
  const chosen: Term[] = [];
  let postings = 0;
  for (const { term, df } of ranked) {
    if (chosen.length === MAX_TERMS) break;
    if (chosen.length > 0 && postings + df > budget) break;
    postings += df;
    chosen.push(term);
  }
  return chosen;
}

/** FTS5 expression that matches any of the words; each is a quoted string, so none is syntax. */
export function anyOf(terms: Term[]): string {
  return terms.map(({ word }) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
}
