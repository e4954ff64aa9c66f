/** Numbers and units of siunitx as plain text. */
import { rawText, readArguments, type Frame } from './arguments';
import type { ReaderState } from './state';
import { SYMBOLS } from './symbols';

/**
 * Commands by their arguments: `o` options, `n` a number, `u` a unit, `b` a unit before it in
 * brackets; what joins several numbers comes after a space.
 */
export const QUANTITY: ReadonlyMap<string, string> = new Map([
  ['num', 'on'],
  ['SI', 'onbu'],
  ['qty', 'onu'],
  ['si', 'ou'],
  ['unit', 'ou'],
  ['ang', 'oa'],
  ['numrange', 'onn \u2013'],
  ['SIrange', 'onnu \u2013'],
  ['qtyrange', 'onnu \u2013'],
  ['numproduct', 'on'],
  ['numlist', 'on'],
  ['SIlist', 'onu'],
  ['qtylist', 'onu'],
]);

const PREFIXES: Readonly<Record<string, string>> = {
  femto: 'f',
  pico: 'p',
  nano: 'n',
  micro: 'µ',
  milli: 'm',
  centi: 'c',
  deci: 'd',
  deca: 'da',
  hecto: 'h',
  kilo: 'k',
  mega: 'M',
  giga: 'G',
  tera: 'T',
  peta: 'P',
  exa: 'E',
  kibi: 'Ki',
  mebi: 'Mi',
  gibi: 'Gi',
  tebi: 'Ti',
};

const UNITS: Readonly<Record<string, string>> = {
  percent: '%',
  second: 's',
  meter: 'm',
  metre: 'm',
  gram: 'g',
  kilogram: 'kg',
  hertz: 'Hz',
  byte: 'B',
  bit: 'bit',
  watt: 'W',
  joule: 'J',
  volt: 'V',
  ampere: 'A',
  kelvin: 'K',
  celsius: '°C',
  degreeCelsius: '°C',
  degree: '°',
  minute: 'min',
  hour: 'h',
  day: 'd',
  liter: 'L',
  litre: 'L',
  newton: 'N',
  pascal: 'Pa',
  ohm: 'Ω',
  mole: 'mol',
  candela: 'cd',
  radian: 'rad',
  electronvolt: 'eV',
  decibel: 'dB',
  tesla: 'T',
  farad: 'F',
  coulomb: 'C',
  lumen: 'lm',
  lux: 'lx',
  angstrom: 'Å',
  arcminute: '′',
  arcsecond: '″',
  us: 'µs',
  um: 'µm',
  ug: 'µg',
  uV: 'µV',
  uA: 'µA',
  uW: 'µW',
};
const POWERS: Readonly<Record<string, string>> = { squared: '²', cubed: '³' };
const POWERS_AHEAD: Readonly<Record<string, string>> = { square: '²', cubic: '³' };

/** Reads the arguments of a command of {@link QUANTITY} and puts what it prints. */
export function quantity(reader: ReaderState, frame: Frame, at: number, spec: string): void {
  const [kinds = '', joint = ', '] = spec.split(' ');
  const found = readArguments(frame, kinds.replace(/[nua]/g, 'm').replace(/b/g, 'o'), false);
  const numbers: string[] = [];
  let unit = '';
  [...kinds].forEach((kind, i) => {
    const argument = found[i];
    if (!argument || kind === 'o') return;
    const raw = rawText(argument);
    if (kind === 'n') numbers.push(numberText(reader, raw));
    else if (kind === 'a') numbers.push(`${numberText(reader, raw)}°`);
    else if (kind === 'u') unit = unitText(reader, raw);
    else numbers.unshift(`${unitText(reader, raw)}${numbers.shift() ?? ''}`);
  });
  const number = numbers.filter((each) => each !== '').join(joint);
  const space = number === '' || unit === '' || /^[%°′″]/.test(unit) ? '' : ' ';
  reader.put(frame, at, frame.pos, `${number}${space}${unit}`);
}

/** Macros that one quantity may hold, those within macros counted: a number has one or two. */
const MOST_MACROS = 40;

/**
 * A macro of the draft without arguments stands for its text: `\num{\samples}`. `budget` is what is
 * left of {@link MOST_MACROS}.
 */
function macroText(
  reader: ReaderState,
  name: string,
  depth: number,
  budget = { left: MOST_MACROS },
): string | null {
  const macro = reader.definitions.macros.get(name);
  if (macro?.signature !== '' || depth > 5 || macro.to - macro.from > 200) return null;
  if (budget.left-- <= 0) return null;
  return macro.doc.source
    .slice(macro.from, macro.to)
    .replace(/\\([a-zA-Z]+)\s*/g, (whole, inner: string) =>
      inner === 'xspace' ? '' : (macroText(reader, inner, depth + 1, budget) ?? whole),
    );
}

function numberText(reader: ReaderState, raw: string): string {
  const budget = { left: MOST_MACROS };
  return raw
    .replace(
      /\\([a-zA-Z]+)\s*/g,
      (whole, name: string) => macroText(reader, name, 0, budget) ?? whole,
    )
    .replace(/\\pm\s*|\+-/g, '±')
    .replace(/\\times\s*/g, '×')
    .replace(/\\[a-zA-Z]+\s*|\\[^a-zA-Z]|[{}$]/g, '')
    .replace(/\s*;\s*/g, ', ')
    .replace(/\s+/g, ' ')
    .trim();
}

function unitText(reader: ReaderState, raw: string): string {
  let text = '';
  let power = '';
  let glued = true;
  const budget = { left: MOST_MACROS };
  const add = (unit: string) => {
    text += (glued ? '' : ' ') + unit + power;
    power = '';
    glued = false;
  };
  const tokens = /\\([a-zA-Z]+)\s*(?:\{([^{}]*)\})?|\\(.)|\^\{?([-\d]+)\}?|([^\\\s{}^.~$]+)/g;
  for (const [, name, argument, symbol, exponent, plain] of raw.matchAll(tokens)) {
    if (name !== undefined) {
      const prefix = PREFIXES[name];
      if (name === 'per') {
        text += '/';
        glued = true;
      } else if (prefix !== undefined) {
        text += (glued ? '' : ' ') + prefix;
        glued = true;
      } else if (POWERS[name] !== undefined) text += POWERS[name];
      else if (POWERS_AHEAD[name] !== undefined) power = POWERS_AHEAD[name];
      else if (name === 'tothe') text += `^${argument ?? ''}`;
      else if (name !== 'of' && name !== 'text' && name !== 'mathrm') {
        add(UNITS[name] ?? SYMBOLS.get(name) ?? macroText(reader, name, 0, budget) ?? name);
      } else if (argument) add(argument);
    } else if (symbol !== undefined) {
      if (/[%&#_$]/.test(symbol)) add(symbol);
    } else if (exponent !== undefined) text += `^${exponent}`;
    else if (plain !== undefined) {
      if (/^\//.test(plain)) glued = true;
      add(plain);
      glued = plain.endsWith('/');
    }
  }
  return text;
}
