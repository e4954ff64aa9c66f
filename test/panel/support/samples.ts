/** Invented sentences and papers for the preview and the tests of the panel. None is real. */
import type { Paper } from '../../../server/engine/engine';
import type {
  ShownInspiration,
  ShownRelative,
  ShownSnapshot,
  Status,
  Taken,
} from '../../../server/protocol';

export const taken: Taken = {
  text: 'Gardeners who keep written logs rarely read them again, because an entry from last spring is hard to find when the same leaf disease returns.',
  uri: 'file:///home/ada/garden%20logs/paper.tex',
  range: { start: { line: 41, character: 0 }, end: { line: 42, character: 60 } },
};

export const longTaken: Taken = {
  ...taken,
  text: `${taken.text} Photographs are kept apart from the words that describe them. Names of varieties change from year to year, and half of the notes use a nickname that only their author knows. As a result, knowledge that took seasons to gather is gathered anew each season, at the cost of plants that could have been saved.`,
};

const papers: Paper[] = [
  {
    id: 'p1',
    title: 'Turning Back the Pages: Resurfacing Old Notes at the Moment They Matter',
    authors: ['Ines Maravall', 'Tobias Quent', 'Priya Lodhra', 'Sam Okonjo'],
    date: '2022-04-30',
    venue: 'Journal of Everyday Knowledge Tools',
    url: 'https://example.org/papers/resurfacing',
    doi: '10.5555/jekt.2022.0417',
  },
  {
    id: 'p2',
    title: 'A Leaf Is Worth a Thousand Tags',
    authors: ['Hana Wessely', 'Joaquim Brandt'],
    date: '2021',
    venue: 'Workshop on Pictures and Words',
    url: 'https://example.org/papers/leaf-tags',
    doi: null,
  },
  {
    id: 'p3',
    title: 'Seasonal Memory: Linking Field Notes over Many Years without Asking Anybody to Tidy Up',
    authors: ['Lindiwe Achterberg', 'Oskar Penn', 'Mei Tanaka'],
    date: '2023-09',
    venue: 'Proceedings of the Conference on Slow Computing',
    url: null,
    doi: '10.5555/slow.2023.12',
  },
  {
    id: 'p4',
    title: 'Nicknames in Private Vocabularies',
    authors: ['Fyodor Lantsman'],
    date: null,
    venue: null,
    url: null,
    doi: null,
  },
  {
    id: 'p5',
    title: 'What Notebooks Forget',
    authors: ['Ruth Amsel', 'Bo Chen', 'Carla di Prato', 'Deniz Ertan', 'Emeka Folarin'],
    date: '2019-06-11',
    venue: 'Letters on Personal Archives',
    url: 'https://example.org/papers/forget',
    doi: null,
  },
];

const texts: {
  text: string;
  role: ShownInspiration['role'];
  before: string | null;
  after: string | null;
}[] = [
  {
    text: 'Our prompter watches what is being photographed and puts the three most similar earlier notes beside the viewfinder, so that a gardener meets last year’s entry before writing a new one.',
    role: 'method',
    before:
      'Most notes are written once and opened never, and search boxes do not help a person who has forgotten that the note exists.',
    after: 'In a study over two summers, notes were reopened four times as often as before.',
  },
  {
    text: 'Matching by picture alone found the earlier outbreak in 71 % of the cases, against 38 % for keywords.',
    role: 'result',
    before: 'We asked forty growers to look for a disease they had met in an earlier year.',
    after: null,
  },
  {
    text: 'Entries of different years are linked by place and by week of the year, which needs neither tags nor consistent names.',
    role: 'method',
    before: null,
    after: 'A link is offered only when both entries mention the same part of the plant.',
  },
  {
    text: 'Private names drift: within three years, a third of the varieties in a diary had been renamed by their own author.',
    role: 'background',
    before: 'Diaries are written for one reader.',
    after: 'An alias table learned from co-occurrence repaired most of these breaks.',
  },
  {
    text: 'Notes that were reread within a month were ten times as likely to be used in a later season.',
    role: null,
    before: null,
    after: null,
  },
];

export function inspiration(
  index: number,
  change: Partial<ShownInspiration> = {},
): ShownInspiration {
  const paper = papers[index % papers.length];
  const text = texts[index % texts.length];
  if (paper === undefined || text === undefined) throw new Error('No sample.');
  const round = Math.floor(index / papers.length);
  const id = round === 0 ? paper.id : `${paper.id}-${round}`;
  return {
    ...text,
    rank: index + 1,
    score: 1 / (index + 1),
    id: `${index % 3 === 2 ? 'my library' : 'starter'}/${id}#${index}`,
    paper: { ...paper, id },
    pool: index % 3 === 2 ? 'my library' : 'starter',
    why: {
      dense: index % 4 === 3 ? null : { rank: index + 1, cosine: 0.71 - index / 50 },
      lexical: index % 5 === 1 ? null : { rank: 2 * index + 3, bm25: 14.2 - index / 3 },
      context:
        index % 4 === 3
          ? { cosine: 0.68, text: 'Most gardeners lose track of what they sowed and where.' }
          : null,
    },
    citedAs: index === 1 ? 'wessely2021leaf' : null,
    ...change,
  };
}

export function inspirations(count: number): ShownInspiration[] {
  return Array.from({ length: count }, (_, index) => inspiration(index));
}

const relativeTexts = [
  'Growers who were shown an old entry at the right moment wrote fewer new ones and lost fewer plants.',
  'A notebook that speaks up when its subject returns is opened far more often than one that waits to be searched.',
  'Without any tags, the week of the year and the bed it was written in were enough to find the entry of a former season.',
];

/** The nth relative of a sample card: of another paper than the card's. */
export function relative(index: number, change: Partial<ShownRelative> = {}): ShownRelative {
  const { paper, pool, citedAs } = inspiration(index);
  const text = relativeTexts[index % relativeTexts.length] ?? '';
  return {
    id: `${pool}/${paper.id}#r${index}`,
    text,
    paper,
    pool,
    cosine: 0.91 - index / 50,
    citedAs,
    ...change,
  };
}

/** What a reranker makes of the first results: another order, some gone, some new, with relatives. */
export function refined(change: Partial<ShownSnapshot> = {}): ShownSnapshot {
  // Four of the first twelve are gone, four are new, and the rest stand in another order.
  const order = [3, 12, 7, 0, 13, 10, 1, 14, 5, 2, 15, 8];
  return snapshot({
    sequence: 2,
    reranked: true,
    elapsedMs: 512,
    inspirations: order.map((index, at) =>
      inspiration(index, {
        rank: at + 1,
        relatives: [2, 3].slice(0, 2 - (at % 3 === 2 ? 1 : 0)).map((by) => relative(index + by)),
      }),
    ),
    ...change,
  });
}

export function snapshot(change: Partial<ShownSnapshot> = {}): ShownSnapshot {
  return {
    sequence: 1,
    final: true,
    inspirations: inspirations(12),
    weak: false,
    more: true,
    pools: ['starter', 'my library'],
    device: 'cpu',
    notices: [],
    elapsedMs: 84,
    ...change,
  };
}

export function status(change: Partial<Status> = {}): Status {
  const pool = {
    titleOnly: 0,
    bytes: 1_000_000,
    updated: '2025-01-01T00:00:00Z',
    encoder: 'sample',
    index: 'hnsw' as const,
    unindexed: 0,
    sources: [],
    problem: null,
  };
  return {
    state: 'ready',
    problem: null,
    engine: {
      encoder: { id: 'sample', dimensions: 384 },
      reranker: { loaded: true, passages: 50, reason: null },
      device: { requested: 'auto', active: 'cpu', reason: null },
      index: { kind: 'hnsw', reason: null },
      pools: [
        { ...pool, name: 'starter', papers: 150, sentences: 610 },
        { ...pool, name: 'my library', papers: 2310, sentences: 19_877 },
        { ...pool, name: 'botany-2020', papers: 87, sentences: 702 },
      ],
      home: '/home/ada/.local/share/ratio',
      pid: 4242,
      rssBytes: 210_000_000,
    },
    ...change,
  };
}

/** Records that try to be more than text. */
export const hostile: ShownInspiration = inspiration(0, {
  id: 'starter/hostile#0',
  text: '<img src=x onerror="window.pwned=1"> is only text, and so is ${1+1}.',
  before: '<script>window.pwned=2</script>',
  after: '"><svg onload=window.pwned=3>',
  citedAs: '<b>key</b>',
  pool: '<i>pool</i>',
  why: {
    dense: null,
    lexical: null,
    context: { cosine: 0.5, text: '"><img src=x onerror="window.pwned=10">' },
  },
  paper: {
    id: 'hostile',
    title: '<img src=x onerror="window.pwned=4">',
    authors: ['<u>Mallory</u>'],
    date: '2020<b>',
    venue: '<a href="javascript:window.pwned=5">here</a>',
    url: 'javascript:window.pwned=6',
    doi: 'javascript:window.pwned=7',
  },
  relatives: [
    {
      id: '"><img src=x onerror="window.pwned=11">',
      text: '<iframe srcdoc="<script>window.pwned=12</script>"></iframe> is only text.',
      pool: '<i>pool</i>',
      cosine: 0.8,
      citedAs: '<b>key</b>',
      paper: {
        id: 'hostile-too',
        title: '<svg onload="window.pwned=13">',
        authors: ['<u>Eve</u>'],
        date: '2021',
        venue: null,
        url: 'javascript:window.pwned=14',
        doi: null,
      },
    },
  ],
});
