/** Pools from the editor: add, choose for this workspace, update and remove. */
import * as vscode from 'vscode';
import {
  poolNameFault,
  type ImportProgress,
  type ImportReport,
  type PoolInfo,
} from '../server/protocol';
import { showImportProblems } from './importProblems';
import { isCancelled, messageOf, type Connection } from './connection';
import { reached } from './contexts';
import { STARTER } from './panel/words';

/** What the editor's commands do with pools. */
export class Pools {
  constructor(
    private readonly connection: Connection,
    private readonly changed: () => void,
    /** Told of a pool that is gone, before `changed`. */
    private readonly removed: (pool: string) => void,
  ) {}

  /** *Add to Pool…*: asks for the pool and the sources, then imports with progress. */
  async add(): Promise<void> {
    const pool = await this.askPool();
    if (pool === undefined) return;
    const kind = await vscode.window.showQuickPick(
      [
        {
          label: '$(file) Files…',
          detail: '.bib, CSL-JSON, JSONL, arXiv metadata, LaTeX, Markdown',
          folders: false,
        },
        {
          label: '$(folder) A folder…',
          detail: 'Everything in it that can be indexed',
          folders: true,
        },
      ],
      { title: `Ratio: add what to “${pool}”?` },
    );
    if (!kind) return;
    const chosen = await vscode.window.showOpenDialog({
      canSelectFiles: !kind.folders,
      canSelectFolders: kind.folders,
      canSelectMany: true,
      openLabel: 'Add to Pool',
      title: `Add to the pool “${pool}”`,
    });
    if (!chosen || chosen.length === 0) return;
    await this.addSources(
      pool,
      chosen.map((uri) => uri.fsPath),
    );
  }

  /** Imports sources into a pool, with progress that can be cancelled. */
  async addSources(pool: string, sources: string[]): Promise<ImportReport | null> {
    const report = await this.import(`Adding to “${pool}”`, (progress, token) =>
      this.connection.addToPool({ pool, sources }, progress, token),
    );
    if (report !== null && report.stored + report.unchanged > 0) reached('poolFilled');
    return report;
  }

  /** *Choose Pools…*: which pools moves ask in this workspace. */
  async choose(): Promise<void> {
    const pools = await this.connection.pools();
    const present = chosenPools();
    const picked = await vscode.window.showQuickPick(
      pools.map((pool) => ({
        label: pool.name,
        description: describe(pool),
        picked: present.length === 0 || present.includes(pool.name),
      })),
      {
        canPickMany: true,
        title: 'Ratio: pools that moves ask in this workspace',
        placeHolder: 'All of them asks future pools too',
      },
    );
    if (!picked) return;
    const names = picked.map((item) => item.label);
    const all = names.length === pools.length || names.length === 0;
    await this.keepChoice(all ? [] : names);
  }

  /** *Manage Pools…*: a pool, then what to do with it. */
  async manage(): Promise<void> {
    const pools = await this.connection.pools();
    const items: (vscode.QuickPickItem & { run: () => Promise<unknown> })[] = pools.map((pool) => ({
      label: pool.name,
      description: describe(pool),
      run: () => this.manageOne(pool),
    }));
    items.push({ label: '$(add) Add to a pool…', run: () => this.add() });
    if (!pools.some(({ name }) => name === STARTER)) {
      items.push({
        label: '$(history) Restore the starter pool',
        detail: 'The papers that ship with Ratio',
        run: () => this.update(STARTER, 'Restoring the starter pool'),
      });
    }
    const picked = await vscode.window.showQuickPick(items, { title: 'Ratio: pools' });
    await picked?.run();
  }

  private async manageOne(pool: PoolInfo): Promise<void> {
    const { name, sources } = pool;
    const actions = [
      ...(sources.length > 0
        ? [
            {
              label: '$(sync) Update',
              detail: `Read again: ${sources.join(', ')}`,
              run: () => this.update(name, `Updating “${name}”`),
            },
          ]
        : []),
      {
        label: '$(trash) Remove',
        detail: 'Deletes the pool; its sources are left alone',
        run: () => this.remove(name),
      },
    ];
    const action = await vscode.window.showQuickPick(actions, {
      title: `${name} · ${describe(pool)}`,
    });
    await action?.run();
  }

  private update(pool: string, title: string): Promise<ImportReport | null> {
    return this.import(title, (report, token) => this.connection.updatePool(pool, report, token));
  }

  private async remove(pool: string): Promise<void> {
    const button = 'Remove';
    const answer = await vscode.window.showWarningMessage(
      pool === STARTER
        ? 'Remove the starter pool? “Manage Pools…” can bring it back.'
        : `Remove the pool “${pool}”? Its sources are left alone.`,
      { modal: true },
      button,
    );
    if (answer !== button) return;
    await this.connection.removePool(pool);
    await this.forget(pool);
    this.removed(pool);
    this.changed();
  }

  /** Keeps which pools this workspace asks; an empty list asks all. */
  async keepChoice(names: string[]): Promise<void> {
    const ratio = vscode.workspace.getConfiguration('ratio');
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const target = vscode.workspace.workspaceFolders ? Workspace : Global;
    // All needs no setting, unless those of the user name some.
    const named = target === Workspace && ratio.inspect<string[]>('pools')?.globalValue?.length;
    await ratio.update('pools', names.length > 0 || named ? names : undefined, target);
  }

  /** Takes a pool that is gone out of the user's and the workspace's choice: it would make every move fail. */
  async forget(pool: string): Promise<void> {
    const ratio = vscode.workspace.getConfiguration('ratio');
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const { globalValue, workspaceValue } = ratio.inspect<string[]>('pools') ?? {};
    for (const [target, value] of [
      [Global, globalValue],
      [Workspace, workspaceValue],
    ] as const) {
      if (!Array.isArray(value) || !value.includes(pool)) continue;
      const rest = value.filter((name) => name !== pool);
      await ratio.update('pools', rest.length > 0 ? rest : undefined, target);
    }
  }

  private async askPool(): Promise<string | undefined> {
    const pools = await this.connection.pools();
    const create = { label: '$(add) New pool…', name: null };
    const own = pools.filter((pool) => pool.name !== STARTER);
    const picked =
      own.length === 0
        ? create
        : await vscode.window.showQuickPick(
            [...own.map((pool) => ({ label: pool.name, name: pool.name })), create],
            { title: 'Ratio: add to which pool?' },
          );
    if (!picked) return undefined;
    if (picked.name !== null) return picked.name;
    return vscode.window.showInputBox({
      title: 'Ratio: name of the new pool',
      value: 'library',
      validateInput: poolNameFault,
    });
  }

  private async import(
    title: string,
    run: (
      report: (progress: ImportProgress) => void,
      token: vscode.CancellationToken,
    ) => Promise<ImportReport>,
  ): Promise<ImportReport | null> {
    try {
      const report = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title, cancellable: true },
        (progress, token) => {
          let shown = 0;
          return run((state) => {
            const now = (state.fraction ?? 0) * 100;
            progress.report({ message: wordsOf(state), increment: Math.max(0, now - shown) });
            shown = Math.max(shown, now);
          }, token);
        },
      );
      this.changed();
      this.tell(report);
      return report;
    } catch (error) {
      this.changed();
      if (!isCancelled(error)) {
        void vscode.window.showErrorMessage(`Ratio: ${messageOf(error)}`);
      }
      return null;
    }
  }

  private tell(report: ImportReport): void {
    const { pool, stored, unchanged, removed, titleOnly, issueCount, cancelled } = report;
    const parts = [
      `${stored.toLocaleString()} papers stored`,
      unchanged ? `${unchanged.toLocaleString()} unchanged` : '',
      removed ? `${removed.toLocaleString()} removed` : '',
      titleOnly ? `${titleOnly.toLocaleString()} by their title alone (no abstract)` : '',
    ].filter(Boolean);
    const text = `Ratio: “${pool}”${cancelled ? ' (stopped)' : ''}: ${parts.join(', ')}.`;
    if (issueCount === 0) {
      void vscode.window.showInformationMessage(text);
      return;
    }
    const show = 'Show Details';
    void vscode.window
      .showWarningMessage(
        `${text} ${issueCount === 1 ? '1 problem was' : `${issueCount.toLocaleString()} problems were`} found.`,
        show,
      )
      .then(async (answer) => {
        if (answer === show) await showImportProblems(report);
      });
  }
}

/** Pools that this workspace asks; none named asks all. */
function chosenPools(): string[] {
  return vscode.workspace.getConfiguration('ratio').get<string[]>('pools', []);
}

function describe({ papers, sentences, problem }: PoolInfo): string {
  return problem ?? `${papers.toLocaleString()} papers, ${sentences.toLocaleString()} sentences`;
}

function wordsOf({ phase, stored, unchanged, sentences }: ImportProgress): string {
  if (phase === 'waiting') return 'waiting for another import into this pool';
  if (phase === 'indexing') return 'building the index';
  return `${(stored + unchanged).toLocaleString()} papers, ${sentences.toLocaleString()} sentences`;
}
