/** Roles as the head on the encoder's vectors tells them, where there is one; else as cues do. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfCancelled } from '../errors';
import type { Heads } from '../heads';
import { likeliestRole, roleScores } from '../recall/roles';
import type { NewPaper, PoolWriter } from '../store/writer';

/** Papers looked at in one transaction. */
const PAGE = 50;
/** Where a pool's database keeps what told its roles last. */
const META = 'roles';

/** The paper with roles that the head tells in place of those by cues; given ones stay. */
export function withRoles(
  entry: NewPaper,
  vectors: readonly Float32Array[],
  heads: Heads | null,
): NewPaper {
  if (!heads) return entry;
  const sentences = entry.sentences.map((sentence, i) => {
    const vector = vectors[i];
    if (sentence.roleSource !== 'cue' || !sentence.cues || !vector) return sentence;
    const told = heads.role(vector, sentence.cues);
    return told ? { ...sentence, role: told.role, roleSource: 'head' as const } : sentence;
  });
  return { ...entry, sentences };
}

/**
 * Tells the roles of a pool's sentences again where other heads told them last, or none did. Given
 * roles stay. Interrupted, it begins again. Returns whether anything changed.
 */
export async function reviseRoles(
  writer: PoolWriter,
  heads: Heads | null,
  encoder: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const teller = heads?.roleRevision ?? 'cue';
  if ((writer.meta(META) ?? 'cue') === teller) return false;
  let changed = false;
  for (let page = writer.papersAfter(0, PAGE); page.length > 0;) {
    throwIfCancelled(signal);
    writer.transaction(() => {
      for (const paper of page) {
        if (revisePaper(writer, heads, encoder, paper)) changed = true;
      }
    });
    await nextTurn();
    page = writer.papersAfter(page[page.length - 1] ?? Infinity, PAGE);
  }
  writer.transaction(() => writer.setMeta(META, teller));
  return changed;
}

function revisePaper(
  writer: PoolWriter,
  heads: Heads | null,
  encoder: number,
  paper: number,
): boolean {
  const rows = writer.roleRows(paper, encoder);
  if (rows.every((row) => row.roleSource !== 'cue' && row.roleSource !== 'head')) return false;
  const scores = roleScores(
    rows.map((row) => row.text),
    rows.map((row) => row.section),
  );
  let changed = false;
  rows.forEach((row, i) => {
    const cues = scores[i];
    if (!cues || (row.roleSource !== 'cue' && row.roleSource !== 'head')) return;
    const told = (row.vector && heads?.role(row.vector, cues)) ?? null;
    const source = told ? 'head' : 'cue';
    const role = told?.role ?? likeliestRole(cues);
    if (role === row.role && source === row.roleSource) return;
    writer.setRole(row.id, role, source);
    changed = true;
  });
  return changed;
}
