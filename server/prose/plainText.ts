import { parseProse } from './parseProse';
import type { DraftFormat } from './prose';

/**
 * Plain text of a whole draft: sentences one after the other, a blank line between paragraphs,
 * titles as paragraphs of their own.
 */
export function plainText(source: string, format: DraftFormat): string {
  const { sentences, headings } = parseProse(source, format);
  const blocks: string[] = [];
  let next = 0;
  let paragraph = -1;
  for (const sentence of sentences) {
    for (; next < headings.length && (headings[next]?.start ?? 0) < sentence.start; next++) {
      blocks.push(headings[next]?.text ?? '');
      paragraph = -1;
    }
    if (sentence.paragraph === paragraph) blocks[blocks.length - 1] += ` ${sentence.text}`;
    else blocks.push(sentence.text);
    paragraph = sentence.paragraph;
  }
  for (; next < headings.length; next++) blocks.push(headings[next]?.text ?? '');
  return blocks.join('\n\n');
}
