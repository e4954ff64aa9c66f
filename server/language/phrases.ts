/**
 * Finds many phrases in a sentence in one pass. Words are recognised letter by letter in a tree of
 * letters, phrases in a tree of words, so that a sentence costs about its length however many
 * phrases there are, and nothing is allocated a word.
 *
 * A phrase is words separated by spaces, in lower case. A word may be alternatives (`fail|fails`),
 * optional with a final `?`, `_` for any one word, or `~` for up to three words. `^` stands for the
 * beginning of the sentence and `?` alone for a question mark at its end. In the sentence anything
 * but letters separates words, hyphens too; an apostrophe joins `n't` and drops any other ending.
 */

/** Units of a sentence that are read; what is longer is a table or a listing, not a sentence. */
const MAX_LENGTH = 2000;
const GAP_WORDS = 3;
/** Letters of a word in the tree: a to z and the apostrophe. */
const LETTERS = 27;
const APOSTROPHE = 26;
const BEGINNING = '^';
const QUESTION = '?';

interface PhraseNode {
  next: Map<number, PhraseNode>;
  /** Node after `_`. */
  any: PhraseNode | null;
  /** Node after `~`. */
  gap: PhraseNode | null;
  /** Groups with a phrase that ends here. */
  groups: number[];
}

/** What was found in a sentence. */
interface PhraseMatch {
  /** Words of the sentence, as far as it was read. */
  words: number;
  /** One flag a group: 1 where one of its phrases occurs. */
  found: Uint8Array;
}

/** Groups of phrases, compiled once. */
export class PhraseMatcher {
  private readonly root = emptyNode();
  /** First node of the phrases that begin with a word, by the word's number. */
  private readonly first: (PhraseNode | undefined)[];
  private readonly vocabulary = new Map<string, number>();
  /** Node and letter to node; 0 where no known word goes on. */
  private readonly letters: Int32Array;
  /** Number of the word that ends at a node; 0 where none does. */
  private readonly ends: Int32Array;
  private readonly size: number;

  /**
   * @param groups phrases of each group, as described above
   * @throws Error where a phrase is empty, begins or ends with a wildcard or an optional word, or has
   *   anything but lower-case letters
   */
  constructor(groups: readonly (readonly string[])[]) {
    this.size = groups.length;
    this.wordNumber(BEGINNING);
    this.wordNumber(QUESTION);
    groups.forEach((phrases, group) => {
      for (const phrase of phrases) this.add(phrase, group);
    });
    const total = [...this.vocabulary.keys()].reduce((sum, word) => sum + word.length, 1);
    this.letters = new Int32Array((total + 1) * LETTERS);
    this.ends = new Int32Array(total + 1);
    this.growLetters();
    this.first = Array.from({ length: this.vocabulary.size + 1 }, (_, word) =>
      this.root.next.get(word),
    );
  }

  /** Finds the groups' phrases in a sentence. */
  match(sentence: string): PhraseMatch {
    const words = this.wordsOf(sentence);
    const found = new Uint8Array(this.size);
    for (let at = 0; at < words.length; at++) {
      const node = this.first[words[at] ?? 0];
      if (node) walk(node, words, at + 1, found);
    }
    return { words: words.length - 1, found };
  }

  /** Numbers of the words, 0 for an unknown one, with the beginning's in front. */
  private wordsOf(sentence: string): number[] {
    const words = [this.wordNumber(BEGINNING)];
    const end = Math.min(sentence.length, MAX_LENGTH);
    // -1 outside a word, 0 in an unknown one, else the node reached (the root is 1).
    let node = -1;
    let afterApostrophe = false;
    for (let at = 0; at <= end; at++) {
      const code = at < end ? sentence.charCodeAt(at) : 32;
      const letter = (code | 32) - 97;
      if (letter >= 0 && letter < 26 && code < 128) {
        if (afterApostrophe) continue;
        if (node < 0) node = 1;
        if (node > 0) node = this.letters[node * LETTERS + letter] ?? 0;
      } else if ((code === 39 || code === 0x2019) && node >= 0) {
        const t = (sentence.charCodeAt(at + 1) | 32) === 116;
        if (t) node = this.letters[node * LETTERS + APOSTROPHE] ?? 0;
        else afterApostrophe = true;
      } else if (node >= 0) {
        words.push(this.ends[node] ?? 0);
        node = -1;
        afterApostrophe = false;
      }
    }
    if (asks(sentence, end)) words.push(this.wordNumber(QUESTION));
    return words;
  }

  private wordNumber(word: string): number {
    let number = this.vocabulary.get(word);
    if (number === undefined) this.vocabulary.set(word, (number = this.vocabulary.size + 1));
    return number;
  }

  private growLetters(): void {
    let nodes = 2;
    for (const [word, number] of this.vocabulary) {
      if (word === BEGINNING || word === QUESTION) continue;
      let node = 1;
      for (const char of word) {
        const slot = node * LETTERS + (char === "'" ? APOSTROPHE : char.charCodeAt(0) - 97);
        if (!this.letters[slot]) this.letters[slot] = nodes++;
        node = this.letters[slot] ?? 0;
      }
      this.ends[node] = number;
    }
  }

  private add(phrase: string, group: number): void {
    const parts = phrase.split(' ');
    for (const part of [parts[0] ?? '', parts.at(-1) ?? '']) {
      if (part === '_' || part === '~' || (part !== QUESTION && part.endsWith('?'))) {
        throw new Error(
          `The phrase "${phrase}" must begin and end with a word that has to be there.`,
        );
      }
    }
    let nodes = [this.root];
    for (const part of parts) {
      const optional = part !== QUESTION && part.endsWith('?');
      const choices = (optional ? part.slice(0, -1) : part).split('|');
      const after = new Set<PhraseNode>(optional ? nodes : []);
      for (const node of nodes) {
        for (const choice of choices) after.add(this.child(node, choice, phrase));
      }
      nodes = [...after];
    }
    for (const node of nodes) if (!node.groups.includes(group)) node.groups.push(group);
  }

  private child(node: PhraseNode, word: string, phrase: string): PhraseNode {
    if (word === '_') return (node.any ??= emptyNode());
    if (word === '~') return (node.gap ??= emptyNode());
    if (word !== BEGINNING && word !== QUESTION && !/^[a-z]+(?:'t)?$/.test(word)) {
      throw new Error(`The phrase "${phrase}" has "${word}", which is no word in lower case.`);
    }
    const number = this.wordNumber(word);
    let next = node.next.get(number);
    if (!next) node.next.set(number, (next = emptyNode()));
    return next;
  }
}

function walk(node: PhraseNode, words: readonly number[], at: number, found: Uint8Array): void {
  for (const group of node.groups) found[group] = 1;
  if (at >= words.length) return;
  const next = node.next.get(words[at] ?? 0);
  if (next) walk(next, words, at + 1, found);
  if (node.any) walk(node.any, words, at + 1, found);
  if (node.gap) {
    const last = Math.min(at + GAP_WORDS, words.length - 1);
    for (let to = at; to <= last; to++) {
      const target = node.gap.next.get(words[to] ?? 0);
      if (target) walk(target, words, to + 1, found);
    }
  }
}

/** Whether a question mark ends the text before `end`, closing marks and spaces aside. */
function asks(text: string, end: number): boolean {
  for (let at = end - 1; at >= 0; at--) {
    const char = text[at] ?? '';
    if (char === '?') return true;
    if (!'"\'\u2019\u201D)] '.includes(char)) return false;
  }
  return false;
}

function emptyNode(): PhraseNode {
  return { next: new Map(), any: null, gap: null, groups: [] };
}
