/** Years as a reader types them. Pure. */
import type { Filters } from '../state';

/** A year as typed: null where the field is empty, `invalid` where it is no year. */
function yearTyped(typed: string): number | null | 'invalid' {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d{4}$/.test(text) ? Number(text) : 'invalid';
}

/** What is wrong with two years as typed, or the filter that they make. */
export function yearsTyped(from: string, to: string): Filters['years'] | { problem: string } {
  const first = yearTyped(from);
  const last = yearTyped(to);
  if (first === 'invalid' || last === 'invalid') return { problem: 'Write a year as four digits.' };
  if (first !== null && last !== null && first > last) {
    return { problem: 'The first year is after the last.' };
  }
  return { from: first, to: last };
}
