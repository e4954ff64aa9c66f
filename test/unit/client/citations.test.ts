/** Citing and what becomes of it: late edits, undo and redo, what is saved. Against a stand-in for VS Code's documents. */
import assert from 'node:assert/strict';
import { sep } from 'node:path';
import type { Citing } from '../../../client/cite';
import type { CiteResult, Taken } from '../../../server/protocol';
import { paper } from '../cite/helpers';
import { Position, standIn } from './standIns';

const DRAFT = 'file:///a/draft.tex';
const BIB = 'file:///a/refs.bib';
const SENTENCE = 'Ships need light.';
const ENTRY = '@misc{lamp2024}\n';

/** A place: the stand-in for the editor puts what is cited at a text's end wherever it is told to. */
class Range {
  readonly start = { line: 0, character: 0 };
  readonly end = this.start;
}
/** What is only compared with. */
class Other {
  readonly other = true;
}

/** A document whose undo stack holds whole texts. */
class Doc {
  version = 1;
  isDirty = false;
  isClosed = false;
  isUntitled = false;
  saves = 0;
  /** What its file holds; null where there is none. */
  disk: string | null;
  /** What happens while it is being saved: may fail, and return what is written instead. */
  saving: () => unknown = () => undefined;
  readonly past: string[] = [];
  readonly future: string[] = [];
  constructor(
    readonly address: string,
    public text: string,
  ) {
    this.disk = text;
  }
  readonly uri = { toString: () => this.address, scheme: 'file', path: '/a' };
  getText(): string {
    return this.text;
  }
  offsetAt(): number {
    return 0;
  }
  positionAt(offset: number): Position {
    return new Position(0, offset);
  }
  edit(text: string): void {
    this.past.push(this.text);
    this.set(text, undefined);
  }
  undo(): void {
    this.future.push(this.text);
    this.set(this.past.pop() ?? assert.fail('nothing to undo'), 1);
  }
  redo(): void {
    this.past.push(this.text);
    this.set(this.future.pop() ?? assert.fail('nothing to redo'), 2);
  }
  async save(): Promise<boolean> {
    // What is typed while it is written is not written.
    const { text } = this;
    const done = await this.saving();
    if (done === false) return false;
    this.saves += 1;
    this.disk = typeof done === 'string' ? done : text;
    this.isDirty = this.text !== this.disk;
    emit('save', this);
    return true;
  }
  /** Another program writes the file, and VS Code reads it again. */
  rewrite(text: string): void {
    this.disk = text;
    this.edit(text);
    this.isDirty = false;
  }
  private set(text: string, reason: number | undefined): void {
    this.text = text;
    this.version += 1;
    // VS Code tells of the change and of the unsaved changes by themselves, in either order.
    emit('change', { document: this, contentChanges: [{}], reason });
    this.isDirty = true;
    emit('change', { document: this, contentChanges: [], reason: undefined });
  }
}

type Kind = 'change' | 'save' | 'open' | 'close';
let listeners: [Kind, (value: unknown) => void][] = [];
function emit(kind: Kind, value: unknown): void {
  for (const [of, listener] of listeners) if (of === kind) listener(value);
}
const on = (kind: Kind) => (listener: (value: unknown) => void) => {
  listeners.push([kind, listener]);
  return { dispose: () => undefined };
};
const PAUSE_MS = 5;
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 8 * PAUSE_MS));

describe('a citation', function () {
  this.timeout(60_000);
  let restore: () => void;
  let cite: typeof import('../../../client/cite');
  let citations: typeof import('../../../client/citations');
  let draft: Doc;
  let bib: Doc;
  let documents: Doc[] = [];
  let active: Doc | null = null;
  let refuse: (() => void)[] = [];
  let asked = 0;
  let changes = 0;
  let undoable = false;
  let saves = true;
  const ran: string[] = [];
  /** What the user was told. */
  const told: string[] = [];
  /** Why no document can be opened. */
  let unopened = '';
  /** The answer to VS Code's question about an undo; rejected for Cancel. */
  let question: Promise<unknown> = Promise.resolve();
  /** Citing makes the .bib. */
  let creates = false;

  before(() => {
    const vscode = {
      Position,
      Range,
      TextEdit: class {
        constructor(
          _range: unknown,
          readonly newText: string,
        ) {}
      },
      WorkspaceEdit: class {
        readonly edits: [string, string][] = [];
        createFile(): void {
          bib.disk = '';
        }
        set(uri: { toString(): string }, [edit]: { newText: string }[]): void {
          this.edits.push([uri.toString(), edit?.newText ?? '']);
        }
      },
      Disposable: { from: () => ({ dispose: () => undefined }) },
      Uri: {
        parse: (address: string) => ({
          toString: () => address,
          scheme: address.slice(0, address.indexOf(':')),
        }),
      },
      TextDocumentChangeReason: { Undo: 1, Redo: 2 },
      TabInputText: Other,
      TabInputWebview: Other,
      workspace: {
        get textDocuments() {
          return documents;
        },
        openTextDocument: async (uri: { toString(): string }) => {
          if (unopened) throw new Error(unopened);
          return documents.find(({ address }) => address === uri.toString()) ?? assert.fail();
        },
        asRelativePath: String,
        decode: async (bytes: Uint8Array) => new TextDecoder().decode(bytes),
        fs: {
          readFile: async (uri: { toString(): string }) => {
            const { disk } = documents.find(({ uri: own }) => own === uri) ?? assert.fail();
            if (disk === null) throw new Error('There is no such file.');
            return new TextEncoder().encode(disk);
          },
        },
        getConfiguration: () => ({ get: () => saves }),
        applyEdit: async ({ edits }: { edits: [string, string][] }) => {
          const refused = refuse.shift();
          if (refused) {
            refused();
            return false;
          }
          for (const [address, added] of edits) {
            const document = documents.find((each) => each.address === address) ?? assert.fail();
            document.edit(document.text + added);
          }
          return true;
        },
        onDidChangeTextDocument: on('change'),
        onDidSaveTextDocument: on('save'),
        onDidOpenTextDocument: on('open'),
        onDidCloseTextDocument: on('close'),
      },
      window: {
        tabGroups: { all: [], activeTabGroup: { tabs: [], activeTab: undefined } },
        visibleTextEditors: [],
        get activeTextEditor() {
          return active && { document: active };
        },
        showTextDocument: async (document: Doc) => void (active = document),
        showInformationMessage: async (text: string) => void told.push(text),
        showWarningMessage: async (text: string) => void told.push(text),
      },
      commands: {
        executeCommand: async (id: string) => {
          ran.push(id);
          await question;
          if (id !== 'undo') return;
          draft.undo();
          bib.undo();
        },
      },
    };
    restore = standIn({ vscode, 'vscode-languageclient/node': { ResponseError: Other } });
    unload();
    /* eslint-disable @typescript-eslint/no-require-imports */
    cite = require('../../../client/cite') as typeof cite;
    citations = require('../../../client/citations') as typeof citations;
    /* eslint-enable @typescript-eslint/no-require-imports */
  });

  after(() => {
    restore();
    unload();
  });

  /** Other tests load the client's files against stand-ins of their own. */
  function unload(): void {
    for (const file of Object.keys(require.cache)) {
      if (file.includes(`${sep}client${sep}`) && !/node_modules|unit/.test(file)) {
        Reflect.deleteProperty(require.cache, file);
      }
    }
  }

  let citing: Citing;
  const taken: Taken = {
    text: SENTENCE,
    uri: DRAFT,
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 17 } },
  };

  beforeEach(() => {
    listeners = [];
    documents = [(draft = new Doc(DRAFT, SENTENCE)), (bib = new Doc(BIB, '% mine\n'))];
    active = null;
    refuse = [];
    asked = changes = ran.length = told.length = 0;
    undoable = creates = false;
    unopened = '';
    question = Promise.resolve();
    saves = true;
    const history = new citations.CitationHistory(
      () => (changes += 1),
      (can) => (undoable = can),
      PAUSE_MS,
    );
    const at = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const connection = {
      cite: async (): Promise<CiteResult> => {
        asked += 1;
        return {
          kind: 'edits',
          key: 'lamp2024',
          reused: false,
          unpublished: false,
          alreadyCitedHere: false,
          bibDeclared: true,
          bibUri: BIB,
          documents: [
            {
              uri: DRAFT,
              version: draft.version,
              create: false,
              edits: [{ range: at, newText: '~\\cite{lamp2024}' }],
            },
            {
              uri: BIB,
              version: bib.version,
              create: creates,
              edits: [{ range: at, newText: ENTRY }],
            },
          ],
        };
      },
    };
    const tracker = { range: () => new Range() };
    citing = { connection, tracker, history } as unknown as Citing;
  });

  const make = (): Promise<string | null> => cite.citePaper(citing, paper({}), taken);

  it('is saved by the Undo that takes it back and by the Redo that brings it again, by no other', async () => {
    bib.edit('% mine\n% and more\n');
    await bib.save();
    bib.saves = 0;
    await make();
    assert.equal(bib.saves, 1);
    bib.undo();
    await soon();
    assert.equal(bib.saves, 2, 'the citation is taken back');
    assert.equal(changes, 1);
    bib.undo();
    await soon();
    assert.equal(bib.text, '% mine\n');
    assert.equal(bib.saves, 2, 'the author’s own edit before it');
    bib.redo();
    await soon();
    assert.equal(bib.saves, 2);
    await bib.save();
    bib.redo();
    await soon();
    assert.equal(bib.saves, 4, 'the citation is there again');
    assert.ok(bib.text.endsWith(ENTRY));
    assert.ok(!bib.isDirty);
  });

  it('leaves unsaved work unsaved when it is undone', async () => {
    await make();
    bib.edit(`${bib.text}% a note\n`);
    await bib.save();
    bib.undo();
    bib.undo();
    await soon();
    assert.equal(bib.text, '% mine\n');
    assert.equal(bib.saves, 2, 'the note is on disk until its author says otherwise');
  });

  it('is not saved by its undo where citing did not save it', async () => {
    saves = false;
    await make();
    saves = true;
    bib.undo();
    await soon();
    assert.equal(bib.saves, 0);
    assert.equal(changes, 1);
  });

  it('is saved by its undo also when VS Code has let the .bib go meanwhile', async () => {
    await make();
    emit('close', bib);
    const again = new Doc(BIB, bib.text);
    again.past.push(...bib.past);
    documents = [draft, again];
    emit('open', again);
    again.undo();
    await soon();
    assert.equal(again.text, '% mine\n');
    assert.equal(again.saves, 1);
    assert.equal(changes, 1);
  });

  it('does not take what another program wrote into the .bib', async () => {
    await make();
    bib.rewrite('% all new\n');
    bib.undo();
    bib.undo();
    await soon();
    assert.equal(bib.text, '% mine\n');
    assert.equal(bib.disk, '% all new\n');
    assert.equal(bib.saves, 1, 'it is left to its author');
    assert.deepEqual(told, []);
  });

  it('does not take what another program wrote and VS Code has not read yet', async () => {
    await make();
    bib.disk = '% all new\n';
    bib.undo();
    await soon();
    assert.equal(bib.disk, '% all new\n');
    assert.equal(bib.saves, 1);
  });

  it('is saved by its undo also while another save is still at work', async () => {
    let written = (): void => undefined;
    bib.saving = () => new Promise<void>((resolve) => (written = resolve));
    const citation = make();
    await soon();
    bib.undo();
    await soon();
    assert.equal(bib.saves, 0);
    bib.saving = () => undefined;
    written();
    assert.equal(await citation, 'lamp2024');
    await soon();
    assert.deepEqual(told, [], 'the save did not change it');
    assert.equal(bib.saves, 2);
    assert.equal(bib.disk, '% mine\n');
    assert.ok(!bib.isDirty);
  });

  it('is saved once for several that are taken back in one go', async () => {
    await make();
    await make();
    bib.undo();
    bib.undo();
    await soon();
    assert.equal(bib.disk, '% mine\n');
    assert.equal(bib.saves, 3);
    assert.equal(changes, 1);
  });

  it('says so where its undo could not be saved', async () => {
    await make();
    await make();
    for (const [at, saving] of [
      () => false,
      () => Promise.reject(new Error('The disk is full.')),
    ].entries()) {
      bib.saving = saving;
      bib.undo();
      await soon();
      assert.equal(told.length, at + 1);
      assert.match(told[at] ?? '', /refs\.bib.*could not be saved/);
      assert.equal(changes, at + 1, 'the panel is told all the same');
    }
    bib.redo();
    await soon();
    assert.match(told[2] ?? '', /refs\.bib.*could not be saved/);
  });

  it('is made also where the .bib could not be saved, and says so', async () => {
    for (const saving of [() => false, () => Promise.reject(new Error('The disk is full.'))]) {
      bib.saving = saving;
      bib.isDirty = false;
      assert.equal(await make(), 'lamp2024');
      assert.match(told.pop() ?? '', /lamp2024 is in .*refs\.bib, but .* could not be saved/);
    }
  });

  it('says once that its undo leaves the entry where saving changes the .bib', async () => {
    const before = bib.text;
    bib.saving = () => {
      bib.edit(`${bib.text}% formatted\n`);
      return bib.text;
    };
    await make();
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /saving .*refs\.bib changed it.*leave the entry lamp2024/);
    assert.ok(!undoable);
    await make();
    assert.equal(told.length, 1);
    assert.ok(bib.text.startsWith(before));
  });

  it('leaves a .bib that it made to VS Code, which deletes it with its undo', async () => {
    creates = true;
    bib.text = '';
    bib.disk = null;
    await make();
    assert.equal(bib.disk, ENTRY);
    assert.equal(bib.saves, 1);
    bib.undo();
    await soon();
    assert.equal(bib.saves, 1);
    bib.disk = '';
    bib.redo();
    await soon();
    assert.equal(bib.disk, ENTRY, 'its redo makes it again');
  });

  it('has its marks asked for again once after any changes of the .bib, not after citing', async () => {
    await make();
    await make();
    await soon();
    assert.equal(changes, 0);
    bib.undo();
    bib.redo();
    bib.undo();
    await soon();
    assert.equal(changes, 1);
    bib.edit('% mine\n');
    bib.edit('% mine\n% and more\n');
    await soon();
    assert.equal(changes, 2, 'the entry was deleted by hand');
    bib.edit(`${bib.text}% `);
    bib.undo();
    await soon();
    assert.equal(changes, 2, 'it is as it was');
    bib.edit('% another\n');
    await bib.save();
    await make();
    await soon();
    assert.equal(changes, 3, 'the author’s edit just before');
    citing.history.dispose();
    bib.undo();
  });

  it('is refused where VS Code lets no extension edit the .bib', async () => {
    unopened =
      'cannot open file:///a/refs.bib. Detail: Files above 50MB cannot be synchronized with extensions.';
    documents = [draft];
    await assert.rejects(make(), /over 50 MB.*Nothing was changed.*“ratio cite”.*smaller \.bib/);
    assert.equal(draft.text, SENTENCE);
    unopened = 'No such file.';
    await assert.rejects(make(), /No such file/);
  });

  it('is computed again where a keystroke came between', async () => {
    refuse = [() => draft.edit(`${SENTENCE} More.`)];
    assert.equal(await make(), 'lamp2024');
    assert.equal(asked, 2);
    refuse = [() => undefined];
    await assert.rejects(make(), /Check that the draft and the \.bib can be written/);
  });

  it('can be undone from the panel while nothing was done after it', async () => {
    await make();
    assert.ok(undoable);
    await citing.history.undo();
    assert.deepEqual(ran, ['undo']);
    assert.equal(active, draft);
    assert.equal(draft.text, SENTENCE);
    assert.ok(!undoable);
    await citing.history.undo();
    assert.deepEqual(ran, ['undo']);
    for (const later of [
      () => draft.edit(`${draft.text} More.`),
      () => bib.edit(`${bib.text}% more\n`),
      () => emit('close', draft),
    ]) {
      await make();
      assert.ok(undoable);
      later();
      assert.ok(!undoable);
      await citing.history.undo();
      assert.equal(ran.length, 1);
    }
  });

  it('is undone from the panel once, however often that is asked, and again after Cancel', async () => {
    await make();
    let answer: (goOn: boolean) => void = () => undefined;
    question = new Promise((resolve, reject) => {
      answer = (goOn) => (goOn ? resolve(null) : reject(new Error('Cancelled.')));
    });
    const first = assert.rejects(citing.history.undo());
    await soon();
    await citing.history.undo();
    assert.deepEqual(ran, ['undo']);
    answer(false);
    await first;
    assert.ok(undoable);
    question = Promise.resolve();
    await citing.history.undo();
    assert.deepEqual(ran, ['undo', 'undo']);
    assert.equal(draft.text, SENTENCE);
  });

  it('says why it can’t be where there is no file', async () => {
    const at = (uri: string): Promise<unknown> =>
      cite.citePaper(citing, paper({}), { ...taken, uri });
    await assert.rejects(
      at('vscode-notebook-cell:/a/b.ipynb#W1'),
      /not in the cells of a notebook/,
    );
    await assert.rejects(
      at('vscode-vfs://github/a/b.tex'),
      /no file on the disk.*vscode-vfs:.*“Copy”/,
    );
    assert.equal(asked, 0);
  });
});
