/** A made-up benchmark split about the sea, small enough to rank by hand. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PAPERS = [
  {
    id: 'p1',
    title: 'Keeping ferries on time',
    sentences: [
      { id: 'p1#0', text: 'Ferries cross the strait every hour.' },
      { id: 'p1#1', text: 'However, strong tides delay ferries on most winter days.' },
      { id: 'p1#2', text: 'To address this, we plan departures around the tide tables.' },
      { id: 'p1#3', text: 'Passengers wait four minutes less.' },
    ],
  },
  {
    id: 'p2',
    title: 'Lobster pots',
    sentences: [
      { id: 'p2#0', text: 'Lobster pots are lost in storms.' },
      { id: 'p2#1', text: 'For example, one harbour lost ninety pots in a night.' },
      { id: 'p2#2', text: 'Buoys that report their place are found again.' },
    ],
  },
  {
    id: 'p3',
    title: 'Kelp',
    sentences: [
      { id: 'p3#0', text: 'Kelp grows a hand a day in cold water.' },
      { id: 'p3#1', text: 'Warm currents stop the growth of kelp.' },
    ],
  },
];

export const POOL = [
  { id: 'p1#0', text: 'Ferries cross the strait every hour.', kind: 'other' },
  { id: 'p1#1', text: 'However, strong tides delay ferries on most winter days.', kind: 'other' },
  { id: 'p1#2', text: 'We plan departures around the tide tables.', kind: 'gold' },
  { id: 'p1#3', text: 'Passengers wait four minutes less.', kind: 'other' },
  { id: 'p2#0', text: 'Lobster pots are lost in storms.', kind: 'other' },
  { id: 'p2#1', text: 'One harbour lost ninety pots in a night.', kind: 'gold' },
  { id: 'p2#2', text: 'Buoys that report their place are found again.', kind: 'distractor' },
  { id: 'p3#0', text: 'Kelp grows a hand a day in cold water.', kind: 'other' },
  { id: 'p3#1', text: 'Warm currents stop the growth of kelp.', kind: 'gold' },
].map((sentence) => {
  const [paper = '', index] = sentence.id.split('#');
  const title = PAPERS.find(({ id }) => id === paper)?.title ?? '';
  return { ...sentence, paper, title, section: null, index: Number(index) };
});

export const PAIRS = [
  {
    id: 'p1:2',
    move: 'address',
    marker: 'to address this',
    query: 'strong tides delay ferries on most winter days.',
    gold: 'We plan departures around the tide tables.',
    goldId: 'p1#2',
    paper: 'p1',
    date: '2024-05',
    queryId: 'p1#1',
  },
  {
    id: 'p2:1',
    move: 'specify',
    marker: 'for example',
    query: 'Lobster pots are lost in storms.',
    gold: 'One harbour lost ninety pots in a night.',
    goldId: 'p2#1',
    paper: 'p2',
    date: '2024',
  },
  {
    id: 'p3:1r',
    move: 'broaden-reversed',
    marker: 'specifically',
    query: 'Warm currents hinder kelp.',
    gold: 'Warm currents stop the growth of kelp.',
    goldId: 'p3#1',
    paper: 'p3',
    date: null,
  },
];

export const jsonl = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Writes the split to `FOLDER/test` of a new temporary folder, which is returned. */
export function writeSea(
  change: {
    pairs?: readonly unknown[];
    pool?: readonly unknown[];
    papers?: readonly unknown[];
  } = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'ratio-sea-'));
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'test', 'pairs.jsonl'), jsonl(change.pairs ?? PAIRS));
  writeFileSync(join(folder, 'test', 'pool.jsonl'), jsonl(change.pool ?? POOL));
  writeFileSync(join(folder, 'test', 'papers.jsonl'), jsonl(change.papers ?? PAPERS));
  return folder;
}
