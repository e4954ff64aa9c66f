/** Text to token ids. */
import { Tokenizer } from '@huggingface/tokenizers';
import { clip } from './clip';

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
