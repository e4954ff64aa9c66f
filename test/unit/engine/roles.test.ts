import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { estimateRoles } from '../../../server/engine/recall/roles';
import { skipBecause } from '../../skip';

describe('roles by cues', () => {
  it('tells the parts of a plain abstract apart', () => {
    const abstract = [
      'Sorting large files has been important for decades.',
      'However, existing tools are slow and often fail on small machines.',
      'In this paper we propose a sorter that merges blocks lazily.',
      'It is based on a tree of queues, using a single buffer.',
      'Experiments show that it outperforms earlier tools by 40 %.',
    ];
    assert.deepEqual(estimateRoles(abstract, []), [
      'background',
      'background',
      'method',
      'method',
      'result',
    ]);
  });

  it('lets the title of a section count in a full text', () => {
    const text = 'The trees have four levels.';
    const [related] = estimateRoles([text], ['2 Related Work']);
    const [results] = estimateRoles([text], ['5 Results']);
    assert.equal(related, 'background');
    assert.equal(results, 'result');
  });

  it('is right for at least 80 % of the sentences of CSAbstruct’s test set', function () {
    const file = join(process.env['RATIO_DATA'] ?? '', 'roles-test.jsonl.gz');
    if (!process.env['RATIO_DATA'] || !existsSync(file)) {
      skipBecause(this, 'RATIO_DATA does not name the folder of the role data');
    }
    let right = 0;
    let all = 0;
    for (const line of gunzipSync(readFileSync(file)).toString().trim().split('\n')) {
      const row = JSON.parse(line) as { sentences: string[]; roles: string[] };
      const roles = estimateRoles(row.sentences, []);
      row.roles.forEach((role, i) => {
        if (role === 'other') return;
        all++;
        if (roles[i] === (role === 'objective' ? 'method' : role)) right++;
      });
    }
    console.log(`      accuracy ${(right / all).toFixed(3)} over ${all} sentences`);
    assert.ok(right / all >= 0.8, `accuracy ${right / all}`);
  });
});
