/** Compact sets of texts: 64-bit hashes in typed arrays, 12 bytes an entry and no object. */

/** 32 bits of a text (FNV-1a with a murmur finish), by seed. */
function hash32(text: string, seed: number): number {
  let h = seed >>> 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    h = Math.imul(h ^ (unit & 0xff), 0x01000193);
    h = Math.imul(h ^ (unit >>> 8), 0x01000193);
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number from 0 up to 1 that depends on the seed and the text alone: for sampling in any order. */
export function rankOf(text: string, seed: number): number {
  const high = hash32(text, 0x811c9dc5 ^ Math.imul(seed | 0, 0x9e3779b1));
  const low = hash32(text, 0x2545f491 ^ Math.imul((seed | 0) + 1, 0x85ebca77));
  return (high * 0x200000 + (low >>> 11)) / 2 ** 53;
}

/** Letters and digits of a text in lower case: what two copies of a sentence share. */
export function essence(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The 64 bits that stand for a text. A zero in the upper ones would mark an empty slot. */
function bitsOf(text: string): [high: number, low: number] {
  return [hash32(text, 0x811c9dc5) || 1, hash32(text, 0x1b873593)];
}

/**
 * Texts to 32-bit numbers, by a 64-bit hash of the text (two texts in a million million share one).
 * Open addressing; grows by doubling at a load of two thirds.
 */
export class TextMap {
  private slots = 1 << 12;
  private high = new Uint32Array(this.slots);
  private low = new Uint32Array(this.slots);
  private values = new Uint32Array(this.slots);
  private used = 0;

  get size(): number {
    return this.used;
  }

  /** The number under a text; undefined where there is none. */
  get(text: string): number | undefined {
    const [high, low] = bitsOf(text);
    const slot = this.slotOf(high, low);
    return this.high[slot] === 0 ? undefined : this.values[slot];
  }

  /** The number under a text, after storing `value` there if there was none; undefined if new. */
  put(text: string, value: number): number | undefined {
    return this.store(text, value, false);
  }

  /** Stores a number under a text, in place of any that is there. */
  set(text: string, value: number): void {
    this.store(text, value, true);
  }

  private store(text: string, value: number, replace: boolean): number | undefined {
    if (this.used * 3 >= this.slots * 2) this.grow();
    const [high, low] = bitsOf(text);
    const slot = this.slotOf(high, low);
    if (this.high[slot] !== 0) {
      const known = this.values[slot];
      if (replace) this.values[slot] = value;
      return known;
    }
    this.high[slot] = high;
    this.low[slot] = low;
    this.values[slot] = value;
    this.used++;
    return undefined;
  }

  /** Whether the text is new; it is known from then on. */
  add(text: string): boolean {
    return this.put(text, 0) === undefined;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.slots - 1;
    let slot = low & mask;
    while (this.high[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private grow(): void {
    const { high, low, values, slots } = this;
    this.slots = slots * 2;
    this.high = new Uint32Array(this.slots);
    this.low = new Uint32Array(this.slots);
    this.values = new Uint32Array(this.slots);
    for (let old = 0; old < slots; old++) {
      const bits = high[old] ?? 0;
      if (bits === 0) continue;
      const slot = this.slotOf(bits, low[old] ?? 0);
      this.high[slot] = bits;
      this.low[slot] = low[old] ?? 0;
      this.values[slot] = values[old] ?? 0;
    }
  }
}
