/** Papers of JSONL files as the miner reads them: streamed, each once, each with an id of its own. */
import { createHash } from 'node:crypto';
import type { ReadOptions, Report, SourcePaper } from '../engine/import/source';
import { normaliseTitle } from '../cite/identity';
import { paperOfRow } from '../pools/jsonl';
import { papersOfLines } from '../pools/lines';
import { essence, TextMap } from './hashes';

/** Units of an abstract by which two records of one paper are told to be the same. */
const SAME = 400;

const EVERYTHING: ReadOptions = { categories: [], since: null, until: null };

/** What became of the rows of all files so far. */
export interface PaperCounts {
  papers: number;
  /** Rows that are no paper, or cannot be read. */
  malformed: number;
  /** Papers with nothing but a title. */
  titleOnly: number;
  /** Papers that an earlier row had already, by id or by text. */
  duplicates: number;
}

/** Reads files one after the other, telling papers apart across all of them. */
export class PaperReader {
  readonly counts: PaperCounts = { papers: 0, malformed: 0, titleOnly: 0, duplicates: 0 };
  private readonly ids = new TextMap();
  private readonly texts = new TextMap();

  /**
   * @param report told of every row that is left out because it cannot be read
   */
  constructor(private readonly report: Report) {}

  /**
   * Papers of a JSONL or JSONL.gz file, in its order.
   * Throws a RatioError where the file cannot be read or holds no papers.
   */
  async *read(path: string, signal: AbortSignal): AsyncGenerator<SourcePaper> {
    const rows = papersOfLines({
      path,
      options: EVERYTHING,
      report: (issue) => {
        this.counts.malformed++;
        this.report(issue);
      },
      signal,
      make: (row) => paperOfRow(row, EVERYTHING, () => true),
      expected: 'one JSON object a line with "title" and "abstract" or "sections" is needed',
    });
    for await (const source of rows) {
      if (source.titleOnly) {
        this.counts.titleOnly++;
        continue;
      }
      const own = this.distinct(source);
      if (own === null) {
        this.counts.duplicates++;
        continue;
      }
      this.counts.papers++;
      yield own;
    }
  }

  /** The paper under an id that no other has; null where an earlier row was the same paper. */
  private distinct(source: SourcePaper): SourcePaper | null {
    const { title, id: given } = source.paper;
    const id = given.replace(/\s+/g, '_');
    const digest = createHash('sha256').update(normaliseTitle(title)).digest('hex').slice(0, 8);
    const number = parseInt(digest, 16);
    const text = essence(
      source.sentences
        .map((sentence) => sentence.text)
        .join(' ')
        .slice(0, SAME),
    );
    const fresh = this.texts.add(text);
    const known = this.ids.put(id, number);
    if (!fresh) return null;
    if (known === undefined) return { ...source, paper: { ...source.paper, id } };
    if (known === number || id.startsWith('arxiv:')) return null;
    const other = `${id}~${digest}`;
    return this.ids.add(other) ? { ...source, paper: { ...source.paper, id: other } } : null;
  }
}
