/** The light bulb: the three moves on a selection. */
import type { CodeAction, Range } from 'vscode-languageserver';
import type { Move } from '../engine/engine';
import type { Taken } from '../protocol';

/** Kind of Ratio's code actions, so that a key can be bound to them. */
export const MOVE_ACTION_KIND = 'refactor.ratio';

const TITLES: Record<Move, string> = {
  address: 'Ratio: address this problem',
  broaden: 'Ratio: broaden this statement',
  specify: 'Ratio: specify this statement',
};

/**
 * One action a move. None for an empty selection, which has no bulb to fill, and for one of a
 * figure, a table or math alone, of which a move would take nothing.
 * @param take what a move takes of the selection
 */
export function moveActions(
  uri: string,
  range: Range,
  take: (uri: string, range: Range) => Taken | null,
): CodeAction[] {
  if (range.start.line === range.end.line && range.start.character === range.end.character) {
    return [];
  }
  if (take(uri, range) === null) return [];
  return (Object.keys(TITLES) as Move[]).map((move) => ({
    title: TITLES[move],
    kind: MOVE_ACTION_KIND,
    command: { title: TITLES[move], command: `ratio.${move}`, arguments: [{ uri, range }] },
  }));
}
