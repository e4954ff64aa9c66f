/** Candidate passages as the texts that are scored. */
import { embeddedText } from '../../engine/encoder/textForm';
import { normalise } from '../../engine/recall/text';
import type { Window, WindowLimits } from '../../engine/rerank/passages';
import { splitSentences } from '../../prose';
import type { Candidate } from './input';

export type TitledText = Pick<Candidate, 'title' | 'text'>;

/** The title, unless the text holds its words already. */
function ownTitle({ title, text }: TitledText): string {
  const plain = normalise(title);
  return plain === '' || ` ${normalise(text)} `.includes(` ${plain} `) ? '' : title.trim();
}

/** Title and text as one, for scoring a passage by its words. */
export function wholeText(passage: TitledText): string {
  return [ownTitle(passage), passage.text].filter(Boolean).join('\n');
}

/**
 * Sentences of a passage in the retriever's embedded form: its title first, where the text does not
 * hold it. A passage without any is one empty sentence, so that every passage has a score.
 */
export function passageSentences(passage: TitledText): string[] {
  const sentences = splitSentences(passage.text).map(({ start, end }) =>
    passage.text.slice(start, end),
  );
  const title = ownTitle(passage);
  if (title !== '') sentences.unshift(title);
  return sentences.length === 0 ? [''] : sentences.map(embeddedText);
}

/** Splits each passage once: many queries share their distractors. */
export function sentenceReader(): (passage: TitledText) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (passage) => {
    const key = `${passage.title}\0${passage.text}`;
    let sentences = known.get(key);
    if (!sentences) known.set(key, (sentences = passageSentences(passage)));
    return sentences;
  };
}

/** Marks of a joint input besides those that close sentences: one at the start, one after the query. */
const MARKS = 2;

/**
 * Cuts a passage into windows, one after the other and without overlap, each as long as its joint
 * input `[CLS] query [SEP] s1 [SEP] … sm [SEP]` stays within the limits. A sentence that is too long
 * by itself has its own window, in which the reranker cuts it.
 *
 * @param tokens tokens of each sentence, marks not counted
 */
export function tile(
  tokens: readonly number[],
  queryTokens: number,
  { maxTokens, maxSentences }: WindowLimits,
): Window[] {
  const room = maxTokens - MARKS - queryTokens;
  const windows: Window[] = [];
  let used = 0;
  tokens.forEach((count, i) => {
    const open = windows.at(-1);
    if (open && used + count + 1 <= room && i - open.from < maxSentences) {
      open.to = i;
      used += count + 1;
    } else {
      windows.push({ from: i, to: i });
      used = count + 1;
    }
  });
  return windows;
}
