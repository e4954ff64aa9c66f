/** A move for a place in a draft: takes the text, asks the engine, marks what the .bib has. */
import type { CancellationToken } from 'vscode-languageserver/node';
import type { CitationService } from './citing';
import type { Drafts } from './drafts';
import { RatioError, type Engine, type Paper, type Snapshot } from './engine/engine';
import { throwIfCancelled } from './engine/errors';
import { withSignal } from './signal';
import type {
  InspireParams,
  InspireProgress,
  InspireResult,
  ShownSnapshot,
  Taken,
} from './protocol';

/** What a user is told when the selection holds nothing to ask about. */
export const NO_PROSE =
  'There is no sentence here to look up. Select prose, or put the cursor in a sentence: figures, tables, math and comments are left out.';

/** Answers the moves of one editor window. */
export class MoveService {
  constructor(
    private readonly drafts: Drafts,
    private readonly citing: CitationService,
    private readonly engine: Engine,
  ) {}

  /**
   * Answers a move; every snapshot goes to `report` with the text that was taken.
   * @param perPaper sentences of one paper at most
   */
  async inspire(
    parameters: InspireParams,
    perPaper: number,
    report: (progress: InspireProgress) => void,
    token: CancellationToken,
  ): Promise<InspireResult> {
    const taken = this.take(parameters);
    if (!taken) return { kind: 'no-prose', message: NO_PROSE };
    const { uri, move, pools, years, limit, rerank } = parameters;
    const shown = (snapshot: Snapshot): ShownSnapshot => ({
      ...this.mark(uri, snapshot),
      rerankAsked: rerank !== false,
    });
    return withSignal(token, async (signal) => {
      const snapshot = await this.engine.inspire(
        {
          move,
          text: taken.text,
          pools,
          exclude: uri ? this.drafts.exclusionsOf(uri) : [],
          limit,
          perPaper,
          years: years ?? { from: null, to: null },
          rerank,
        },
        {
          signal,
          onSnapshot: (state) => {
            if (!state.final) report({ taken, snapshot: shown(state) });
          },
        },
      );
      // The answer may have been on its way when it was called off.
      throwIfCancelled(signal);
      return { kind: 'answer', taken, snapshot: shown(snapshot) };
    });
  }

  private take({ uri, range, text }: InspireParams): Taken | null {
    if (text !== null) {
      const plain = text.replace(/\s+/g, ' ').trim();
      return plain ? { text: plain, uri, range } : null;
    }
    return uri && range ? this.drafts.take(uri, range) : null;
  }

  private mark(uri: string | null, snapshot: Snapshot): ShownSnapshot {
    const keyOf = uri ? this.citing.citedKeys(uri) : () => null;
    const cited = <T extends { paper: Paper }>(sentence: T): T & { citedAs: string | null } => ({
      ...sentence,
      citedAs: keyOf(sentence.paper),
    });
    return {
      ...snapshot,
      inspirations: snapshot.inspirations.map((inspiration) => ({
        ...cited(inspiration),
        relatives: inspiration.relatives?.map(cited),
      })),
    };
  }
}

/**
 * An error of a move, with who names the pools that none can be asked of: removed in a terminal, say, the user may not
 * know. Any other error as it is.
 */
export function whoNamesPools(
  error: unknown,
  filter: readonly string[] | null,
  setting: readonly string[],
): unknown {
  if (!(error instanceof RatioError) || error.code !== 'no-pool') return error;
  const who = filter?.length
    ? 'The panel’s filter names it: open the filter there and clear the filters, or tick other pools.'
    : setting.length > 0
      ? 'The setting ratio.pools of this workspace names it; “Ratio: Choose Pools…” picks others.'
      : null;
  return who === null ? error : new RatioError('no-pool', `${error.message} ${who}`);
}
