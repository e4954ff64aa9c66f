import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cite, namesOf } from '../../../server/cli/cite';
import { RatioError } from '../../../server/engine/engine';
import { Terminal } from './terminal';

const ROWS = [
  {
    id: 'acl:2031.sea-1.1',
    title: 'Keeping ferries on time in a tidal strait',
    authors: ['Ada Sailor'],
    date: '2024-05-01',
    doi: '10.5555/Sea.1',
    abstract: 'Ferries cross the strait every hour. Strong tides delay them on winter days.',
  },
  {
    id: 'arxiv:2301.01234',
    title: 'Lobster pots that report where they are',
    authors: ['Bo Fisher'],
    date: '2023',
    doi: '10.5555/sea.2',
    abstract: 'Lobster pots are lost in storms. Buoys that report their place are found again.',
  },
  {
    id: 'kelp',
    title: 'Kelp grows a hand a day in cold water',
    authors: ['Cy Diver'],
    date: '2022',
    doi: '10.48550/arXiv.2302.00001',
    abstract: 'Kelp grows a hand a day in cold water. Warm water halves its growth.',
  },
];

describe('names of a paper', () => {
  it('are its id, its DOI and its arXiv id in every form that is copied', () => {
    const arxiv = {
      ids: ['arxiv:2301.01234', 'doi:10.48550/arxiv.2301.01234'],
      dois: ['10.48550/arxiv.2301.01234'],
    };
    for (const typed of [
      '2301.01234',
      'arXiv:2301.01234v3',
      'https://arxiv.org/abs/2301.01234',
      'https://arxiv.org/pdf/2301.01234v2.pdf',
      'http://www.arxiv.org/html/2301.01234v1',
      'https://doi.org/10.48550/arXiv.2301.01234',
    ]) {
      const { ids, dois } = namesOf(typed);
      assert.deepEqual({ ids: ids.slice(1), dois }, arxiv, typed);
      assert.equal(ids[0], typed);
    }
    for (const typed of [
      '10.5555/Sea.1',
      'doi:10.5555/SEA.1',
      'https://dx.doi.org/10.5555/sea.1',
    ]) {
      const { ids, dois } = namesOf(typed);
      assert.deepEqual([ids.at(-1), dois], ['doi:10.5555/sea.1', ['10.5555/sea.1']], typed);
    }
    assert.deepEqual(namesOf('math.GT/0309136v1').ids[1], 'arxiv:math.gt/0309136');
    assert.deepEqual(namesOf('acl:2031.sea-1.1'), { ids: ['acl:2031.sea-1.1'], dois: [] });
  });
});

describe('ratio cite', function () {
  this.timeout(180_000);
  let terminal: Terminal;
  let folder: string;
  let home: string;
  before(async () => {
    terminal = await Terminal.with('cite', ROWS);
    ({ folder, home } = terminal);
  });
  after(() => terminal.dispose());

  const ratio = (...parameters: string[]) => terminal.ratio(...parameters);
  const TEXT = 'Tides make our ferries late.\n\\bibliography{own}\n';
  const draft = (name = 'draft.tex'): string => {
    const path = join(folder, name);
    writeFileSync(path, TEXT);
    return path;
  };
  const look = (...parameters: string[]) =>
    ratio('cite', '--dry-run', '--at', `${draft()}:1`, ...parameters);

  it('does not show a .bib that cannot be read as a new one', async () => {
    const bib = join(folder, 'unreadable.bib');
    mkdirSync(bib);
    const made = await look('--bib', bib, 'acl:2031.sea-1.1');
    assert.equal(made.status, 1, made.stdout);
    assert.match(made.stderr, /unreadable\.bib.*cannot be read/);
    assert.equal(made.stdout, '');
  });

  it('finds a paper by a DOI or an arXiv id that only its record has', () => {
    const found: [string, RegExp][] = [
      ['https://doi.org/10.5555/SEA.1', /Keeping ferries/],
      ['https://arxiv.org/pdf/2301.01234v2', /Lobster pots/],
      ['arXiv:2302.00001', /Kelp grows/],
    ];
    for (const [typed, title] of found) {
      const { status, stdout, stderr } = look(typed);
      assert.equal(status, 0, stderr);
      assert.match(stdout, title, typed);
    }
    const { status, stderr } = look('10.5555/sea.3');
    assert.equal(status, 1);
    assert.match(stderr, /No paper "10\.5555\/sea\.3" in any pool/);
  });

  it('writes nothing where the draft is changed while the engine loads', async () => {
    const path = draft('moving.tex');
    const before = process.env['RATIO_HOME'];
    process.env['RATIO_HOME'] = home;
    try {
      const options = { pool: [], dryRun: false, force: false, json: false };
      const citing = cite('acl:2031.sea-1.1', { ...options, at: `${path}:1` });
      // It has read the draft, and the engine is being loaded.
      const changed = `Harbours freeze. ${TEXT}`;
      writeFileSync(path, changed);
      await assert.rejects(
        citing,
        (error) => error instanceof RatioError && /moving\.tex was changed/.test(error.message),
      );
      assert.equal(readFileSync(path, 'utf8'), changed);
      assert.equal(existsSync(join(folder, 'own.bib')), false);
    } finally {
      if (before === undefined) delete process.env['RATIO_HOME'];
      else process.env['RATIO_HOME'] = before;
    }
  });

  it('says that there is no such pool', () => {
    const { status, stderr } = look('kelp', '-p', 'typo');
    assert.equal(status, 1);
    assert.match(stderr, /There is no pool “typo”. There are: sea\./);
    assert.doesNotMatch(stderr, /No paper/);
    const beside = look('gone', '-p', 'typo', '-p', 'sea');
    assert.equal(beside.status, 1);
    assert.match(beside.stderr, /There is no pool “typo”[^]*No paper "gone" in typo, sea/);
  });

  it('says which pool is damaged, where that may be why a paper is not found', () => {
    const damaged = join(home, 'pools', 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'pool.db'), Buffer.alloc(6000, 0xa7));
    try {
      const any = look('gone');
      assert.equal(any.status, 1);
      assert.match(any.stderr, /Pool “damaged” was left out[^]*No paper "gone" in any pool/);
      const alone = look('gone', '-p', 'damaged');
      assert.equal(alone.status, 1);
      assert.match(alone.stderr, /“damaged” was left out/);
      assert.doesNotMatch(alone.stderr, /No paper/);
      const { status, stderr } = look('kelp');
      assert.deepEqual([status, stderr], [0, '']);
    } finally {
      rmSync(damaged, { recursive: true });
    }
  });
});
