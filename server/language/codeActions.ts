/** The light bulb: the three moves on a selection. */
import type { CodeAction, Range } from 'vscode-languageserver';
import type { Move } from '../engine/engine';

/** Kind of Ratio's code actions, so that a key can be bound to them. */
export const MOVE_ACTION_KIND = 'refactor.ratio';

const TITLES: Record<Move, string> = {
  address: 'Ratio: address this problem',
  broaden: 'Ratio: broaden this statement',
  specify: 'Ratio: specify this statement',
};

/** One action a move; none for an empty selection, which has no bulb to fill. */
export function moveActions(uri: string, range: Range): CodeAction[] {
  if (range.start.line === range.end.line && range.start.character === range.end.character) {
    return [];
  }
  return (Object.keys(TITLES) as Move[]).map((move) => ({
    title: TITLES[move],
    kind: MOVE_ACTION_KIND,
    command: { title: TITLES[move], command: `ratio.${move}`, arguments: [{ uri, range }] },
  }));
}
