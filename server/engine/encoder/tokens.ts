/** Text to token ids. */
import { Tokenizer } from '@huggingface/tokenizers';

/** UTF-16 units of a text that are looked at; 256 tokens of any language fit in well. */
const LONGEST = 8192;
/** Blanks may fill a text, so more is looked at before they are squeezed. */
const LONGEST_RAW = 8 * LONGEST;

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
// Control characters and blanks alike separate words here; the tokeniser would drop the former.
// eslint-disable-next-line no-control-regex
const BLANKS = /[\s\u0000-\u001F\u007F-\u009F]+/g;

/** The part of a text that can matter, well-formed, single-spaced. Linear in `LONGEST_RAW`. */
export function clip(text: string): string {
  const squeezed = text
    .slice(0, LONGEST_RAW)
    .replace(BLANKS, ' ')
    .slice(0, LONGEST)
    .replace(LONE_SURROGATE, '\uFFFD');
  return squeezed.trim();
}

/** Makes token ids, special tokens included, never more than `maxTokens`. */
export class Tokens {
  readonly #tokenizer: Tokenizer;
  readonly #maxTokens: number;
  /** Id of the closing special token, kept when a text is cut. */
  readonly #last: number;

  constructor(tokenizer: object, tokenizerConfig: object, maxTokens: number) {
    this.#tokenizer = new Tokenizer(tokenizer, tokenizerConfig);
    this.#maxTokens = maxTokens;
    const empty = this.#tokenizer.encode('').ids;
    const last = empty[empty.length - 1];
    if (last === undefined) throw new Error('the tokeniser adds no special tokens');
    this.#last = last;
  }

  encode(text: string): number[] {
    const ids = this.#tokenizer.encode(clip(text)).ids;
    if (ids.length <= this.#maxTokens) return ids;
    const cut = ids.slice(0, this.#maxTokens);
    cut[cut.length - 1] = this.#last;
    return cut;
  }
}
