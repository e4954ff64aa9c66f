/**
 * Token ids of sentences, quickly. A move tokenises hundreds of sentences, for which the tokeniser's
 * library takes longer than the model: so plain words (ASCII, the most of any English text) are cut
 * into pieces here, each once, and only what is left goes to the library.
 */
import { clip } from '../encoder/clip';
import { Tokens } from '../encoder/tokens';

/** Words and texts kept; beyond that all are forgotten. */
const WORDS_KEPT = 50_000;
const TEXTS_KEPT = 5_000;

/** Printable ASCII but brackets, which may be those of a special token. */
const PLAIN = /^[!-Z\\^-~]+$/;
const PUNCTUATION_OR_RUN = /[a-z0-9]+|[^a-z0-9]/g;

type WordPieceModel = {
  vocabulary: ReadonlyMap<string, number>;
  unknown: number;
  prefix: string;
  longest: number;
};

/** The parts of `tokenizer.json` that decide whether plain words can be cut here. */
type TokenizerFile = {
  normalizer?: { type?: unknown; lowercase?: unknown } | null;
  pre_tokenizer?: { type?: unknown } | null;
  added_tokens?: { content?: unknown }[];
  model?: {
    type?: unknown;
    vocab?: unknown;
    unk_token?: unknown;
    continuing_subword_prefix?: unknown;
    max_input_chars_per_word?: unknown;
  } | null;
};

/** The model where it is BERT's, lower-casing; null for any other, which the library does alone. */
function wordPieceModel(file: TokenizerFile): WordPieceModel | null {
  const { normalizer, pre_tokenizer: split, added_tokens: added, model } = file;
  const known =
    normalizer?.type === 'BertNormalizer' &&
    normalizer.lowercase === true &&
    split?.type === 'BertPreTokenizer' &&
    model?.type === 'WordPiece' &&
    (added ?? []).every(({ content }) => typeof content === 'string' && /[[\]]/.test(content));
  if (!known || typeof model.vocab !== 'object' || model.vocab === null) return null;
  const vocabulary = new Map(Object.entries(model.vocab as Record<string, number>));
  const unknown = vocabulary.get(String(model.unk_token));
  const { continuing_subword_prefix: prefix, max_input_chars_per_word: longest } = model;
  if (unknown === undefined || typeof prefix !== 'string' || typeof longest !== 'number')
    return null;
  return { vocabulary, unknown, prefix, longest };
}

/** Greedy longest match from the left, as BERT's tokeniser does it. */
function pieces(word: string, { vocabulary, unknown, prefix, longest }: WordPieceModel): number[] {
  if (word.length > longest) return [unknown];
  const ids: number[] = [];
  for (let start = 0; start < word.length;) {
    let end = word.length;
    let id: number | undefined;
    for (; end > start; end--) {
      const part = word.slice(start, end);
      id = vocabulary.get(start === 0 ? part : prefix + part);
      if (id !== undefined) break;
    }
    if (id === undefined) return [unknown];
    ids.push(id);
    start = end;
  }
  return ids;
}

/** Cuts texts into the ids that the tokeniser's library gives, and keeps those of words and texts met before. */
export class WordPieces {
  private readonly library: Tokens;
  private readonly model: WordPieceModel | null;
  private readonly words = new Map<string, readonly number[]>();
  private readonly texts = new Map<string, readonly number[]>();
  /** Ids that open and close an input. */
  readonly marks: { start: number; end: number };

  /** Takes the content of `tokenizer.json` and `tokenizer_config.json`. Throws where it makes none. */
  constructor(tokenizer: object, tokenizerConfig: object) {
    this.library = new Tokens(tokenizer, tokenizerConfig, Infinity);
    this.model = wordPieceModel(tokenizer as TokenizerFile);
    const [start, end] = this.library.encode('');
    if (start === undefined || end === undefined) {
      throw new Error('the tokeniser does not mark start and end');
    }
    this.marks = { start, end };
  }

  /** Token ids of a text, special ones left out. */
  ids(text: string): readonly number[] {
    let known = this.texts.get(text);
    if (known === undefined) {
      if (this.texts.size >= TEXTS_KEPT) this.texts.clear();
      this.texts.set(text, (known = this.cut(text)));
    }
    return known;
  }

  private cut(text: string): readonly number[] {
    const ids: number[] = [];
    for (const word of clip(text).split(' ')) ids.push(...this.word(word));
    return ids;
  }

  /** White space parts tokens in any case, so words can be cut one by one. */
  private word(word: string): readonly number[] {
    let known = this.words.get(word);
    if (known === undefined) {
      if (this.words.size >= WORDS_KEPT) this.words.clear();
      const { model } = this;
      known =
        model && PLAIN.test(word)
          ? (word.toLowerCase().match(PUNCTUATION_OR_RUN) ?? []).flatMap((run) =>
              pieces(run, model),
            )
          : this.library.encode(word).slice(1, -1);
      this.words.set(word, known);
    }
    return known;
  }
}
