/**
 * The form in which a sentence is embedded, in pools and as a query: cleaned, its opening discourse
 * markers stripped, re-capitalised, as in training. What is shown and what full text holds stays
 * the sentence itself.
 */
import { stripMarker } from '../../mining/strip';
import type { SentenceEncoder } from '../encoderKind';
import { clip } from './clip';

/**
 * Revision of {@link embeddedText}. Raise it whenever that gives other texts (a changed lexicon,
 * say), so that pools are encoded again.
 */
const TEXT_FORM = 't1';

/** Letters and digits below which what is left of a text says too little. */
const SHORTEST = 8;

/** The text to embed for a sentence; the sentence itself where stripping leaves hardly anything. */
export function embeddedText(sentence: string): string {
  const whole = clip(sentence);
  const { text } = stripMarker(whole);
  return (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < SHORTEST ? whole : text;
}

/** Builds the lexicon, a matter of some 0.3 s, before the first text asks for it. */
export function prepareTextForm(): void {
  embeddedText('However, this is only an example.');
}

/** What makes vectors comparable: the encoder, and the form of the texts it was given. */
export type VectorKind = { id: string; dimensions: number };

/** Kind of the vectors that pools and indexes hold; `id` is the one that they are stored under. */
export function vectorKind({
  id,
  dimensions,
}: Pick<SentenceEncoder, 'id' | 'dimensions'>): VectorKind {
  return { id: `${id}+${TEXT_FORM}`, dimensions };
}
