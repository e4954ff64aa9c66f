import assert from 'node:assert/strict';
import { moveActions } from '../../../server/language/codeActions';

const at = (line: number, character: number) => ({ line, character });

describe('moveActions', () => {
  it('offers the three moves on a selection, with its place', () => {
    const range = { start: at(1, 0), end: at(1, 9) };
    const actions = moveActions('file:///d.tex', range);
    assert.deepEqual(
      actions.map((action) => action.command?.command),
      ['ratio.address', 'ratio.broaden', 'ratio.specify'],
    );
    assert.deepEqual(actions[0]?.command?.arguments, [{ uri: 'file:///d.tex', range }]);
  });
  it('offers nothing without a selection', () => {
    assert.deepEqual(moveActions('file:///d.tex', { start: at(2, 3), end: at(2, 3) }), []);
  });
});
