/** Options that several commands have, and how their values are read. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import envPaths from 'env-paths';
import { join } from 'node:path';
import { DEVICES } from '../engine/devices';
import { CONTEXT, CONTEXT_MODES, type ContextMode } from '../evaluation/context';
import { UsageError } from './exit';

/** A commander parser of whole numbers within bounds. */
export const wholeNumber =
  (from: number, to: number) =>
  (value: string): number => {
    const number = Number(value);
    if (value.trim() === '' || !Number.isInteger(number) || number < from || number > to) {
      throw new InvalidArgumentError(`A whole number from ${from} to ${to} is needed.`);
    }
    return number;
  };

/** A commander parser of numbers from 0. */
const positive = (value: string): number => {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('A number from 0 is needed.');
  }
  return number;
};

/** Comma-separated or repeated values out of a list. */
export const listOf =
  <T extends string>(known: readonly T[], is: (value: string) => value is T) =>
  (value: string, earlier: T[] | undefined): T[] => {
    const values = value.split(',').filter(Boolean);
    const wrong = values.find((name) => !is(name));
    if (wrong !== undefined) {
      throw new InvalidArgumentError(`"${wrong}" is not one of ${known.join(', ')}.`);
    }
    return [...new Set([...(earlier ?? []), ...values.filter(is)])];
  };

/** A commander parser of repeatable values, each as it stands. */
export const collect = (value: string, earlier: string[] | undefined): string[] => [
  // A required option has no value to begin with.
  ...(earlier ?? []),
  value,
];

/** A commander parser of repeatable values, each of which may name several, with commas between. */
export const collectNames = (value: string, earlier: string[] | undefined): string[] => [
  ...(earlier ?? []),
  ...value.split(',').filter(Boolean),
];

/** Folder of kept vectors: `--cache DIR`, none for `--no-cache`, else the user's cache folder. */
export function vectorCache(choice: string | boolean | undefined): string | null {
  if (choice === false) return null;
  if (typeof choice === 'string') return choice;
  return join(envPaths('ratio', { suffix: '' }).cache, 'vectors');
}

/** `--device`. */
export const deviceOption = (unasked: 'auto' | 'cpu'): Option =>
  new Option('--device <name>', 'what encodes text').choices(DEVICES).default(unasked);

export type ContextOptions = {
  context?: ContextMode | true;
  contextBefore?: number;
  contextWeight?: number;
};

/** Adds the options about scoring with context; `what` says what `--context` does. */
export function withContextOptions(command: Command, what: string): Command {
  return command
    .addOption(new Option('--context [mode]', what).choices(CONTEXT_MODES))
    .option(
      '--context-before <count>',
      `sentences before that belong to a context (default: ${CONTEXT.before})`,
      wholeNumber(0, 100),
    )
    .option(
      '--context-weight <number>',
      `weight of the context in --context combine (default: ${CONTEXT.weight})`,
      positive,
    );
}

/**
 * The mode that was asked for, null without `--context`; `--context` alone is `concat`. Throws a
 * usage error where an option is given that does nothing in this mode.
 */
export function contextMode(options: ContextOptions): ContextMode | null {
  const { context, contextBefore, contextWeight } = options;
  if (context === undefined && (contextBefore ?? contextWeight) !== undefined) {
    throw new UsageError('--context-before and --context-weight go with --context.');
  }
  if (contextWeight !== undefined && context !== 'combine') {
    throw new UsageError('--context-weight goes with --context combine.');
  }
  return context === true ? 'concat' : (context ?? null);
}
