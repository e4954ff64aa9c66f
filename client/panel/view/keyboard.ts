/** What keys do in the panel. Pure, so that the help and the tests share it. */
import type { Move } from '../../../server/protocol';

/** Where the keyboard focus is: on a card, a card's action, a field, some other control, nowhere. */
export type Zone = 'card' | 'action' | 'field' | 'control' | 'page';

export type KeyCommand =
  | { do: 'next' | 'previous' | 'first' | 'last' }
  | { do: 'next-action' | 'previous-action' }
  | {
      do:
        | 'expand'
        | 'unfold'
        | 'cite'
        | 'copy'
        | 'open'
        | 'useful'
        | 'not-useful'
        | 'help'
        | 'escape'
        | 'undo';
    }
  | { do: 'chain'; move: Move };

interface KeyPress {
  key: string;
  /** The key's place on the keyboard: what Ctrl and Alt together write is not its letter everywhere. */
  code?: string;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  shiftKey?: boolean;
  /** It is held down, and was told before. */
  repeat?: boolean;
}

/** The keys, in the order in which the help lists them. */
export const keyHelp: readonly { keys: readonly string[]; mac?: string; does: string }[] = [
  { keys: ['↑', '↓'], does: 'Previous or next card' },
  { keys: ['Home', 'End'], does: 'First or last card' },
  { keys: ['Enter'], does: 'Show more or less of the passage' },
  { keys: ['r'], does: 'Show or hide where else it is said' },
  { keys: ['→', '←'], does: 'Through the actions of a card' },
  { keys: ['c'], does: 'Cite in the draft' },
  { keys: ['Ctrl+Z'], mac: '⌘Z', does: 'Take back what was just cited' },
  { keys: ['y'], does: 'Copy' },
  { keys: ['o'], does: 'Open the paper' },
  { keys: ['a', 'b', 's'], does: 'Address, broaden or specify the sentence' },
  { keys: ['u', 'n'], does: 'Useful, not useful' },
  { keys: ['Esc'], does: 'Back on the trail' },
  { keys: ['?'], does: 'Show or hide these keys' },
];

const letters: Record<string, KeyCommand> = {
  r: { do: 'unfold' },
  c: { do: 'cite' },
  y: { do: 'copy' },
  o: { do: 'open' },
  a: { do: 'chain', move: 'address' },
  b: { do: 'chain', move: 'broaden' },
  s: { do: 'chain', move: 'specify' },
  u: { do: 'useful' },
  n: { do: 'not-useful' },
};

/** What may be repeated by holding its key down; all else is done once. */
const movements = new Set<KeyCommand['do']>([
  'next',
  'previous',
  'first',
  'last',
  'next-action',
  'previous-action',
]);

/** The command for a key press in a zone; null leaves the key to the browser and to VS Code. */
export function commandFor(press: KeyPress, zone: Zone): KeyCommand | null {
  const command = commandOf(press, zone);
  return press.repeat && command !== null && !movements.has(command.do) ? null : command;
}

function commandOf(press: KeyPress, zone: Zone): KeyCommand | null {
  if (isUndo(press)) return zone === 'field' ? null : { do: 'undo' };
  if (press.ctrlKey || press.altKey || press.metaKey) return null;
  if (press.key === 'Escape') return { do: 'escape' };
  if (zone === 'field') return null;
  if (press.key === '?') return { do: 'help' };
  if (press.key === 'ArrowDown') return { do: 'next' };
  if (press.key === 'ArrowUp') return { do: 'previous' };
  if (zone === 'control') return null;
  if (press.key === 'Home') return { do: 'first' };
  if (press.key === 'End') return { do: 'last' };
  if (zone === 'page') return null;
  if (press.key === 'ArrowRight') return { do: 'next-action' };
  if (press.key === 'ArrowLeft') return { do: 'previous-action' };
  if (press.key === 'Enter') return zone === 'card' ? { do: 'expand' } : null;
  return letters[letterOf(press)] ?? null;
}

/**
 * The letter of a key. Where the layout gives no Latin one (Greek, Cyrillic, …), the one that stands at the key's place
 * on a US keyboard; a Latin layout's own letters, AZERTY's say, stay as they are.
 */
function letterOf({ key, code }: KeyPress): string {
  const letter =
    key.length === 1 && /\P{ASCII}/u.test(key) ? /^Key([A-Z])$/.exec(code ?? '')?.[1] : null;
  return (letter ?? key).toLowerCase();
}

function isUndo(press: KeyPress): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey } = press;
  return letterOf(press) === 'z' && ctrlKey !== metaKey && !altKey && shiftKey !== true;
}

/** For how long VS Code waits for a chord's second key. */
const CHORD_MS = 5000;
const modifiers = new Set(['Control', 'Alt', 'AltGraph', 'Shift', 'Meta', 'CapsLock']);

/** VS Code's chords: their second key is not the panel's. */
export class Chords {
  private until = -Infinity;

  /** Whether a key press, at a time in milliseconds, belongs to a chord. To be told of every one. */
  take(press: KeyPress, now: number): boolean {
    if (modifiers.has(press.key)) return false;
    const second = now < this.until;
    // A first key that is held down is still the first.
    if (second && !press.repeat) this.until = -Infinity;
    if (!second && isPrefix(press)) this.until = now + CHORD_MS;
    return second || now < this.until;
  }
}

/** Ctrl+K or Cmd+K, and Ratio's own Ctrl+Alt+R or Ctrl+Cmd+R. */
function isPrefix({ key, code, ctrlKey, altKey, metaKey }: KeyPress): boolean {
  const is = (letter: string): boolean =>
    key.toLowerCase() === letter || code === `Key${letter.toUpperCase()}`;
  if (is('k')) return !altKey && ctrlKey !== metaKey;
  return is('r') && ctrlKey && altKey !== metaKey;
}
