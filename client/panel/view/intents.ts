/** What templates can ask the app to do. */
import type { Move } from '../../../server/protocol';
import type { PanelCommand } from '../messages';
import type { Filters, Verdict } from '../state';

export type CardAction = 'cite' | 'copy' | 'open';

export interface Intents {
  /** Does that with a card, or with one of its relatives. */
  act(action: CardAction, id: string, relative?: string): void;
  chain(move: Move, id: string): void;
  judge(verdict: Verdict, id: string): void;
  expand(id: string): void;
  /** Shows or hides the sentence of a card's relative; without its id, of all. */
  unfold(id: string, relative?: string): void;
  activate(id: string): void;
  move(move: Move): void;
  goTo(index: number): void;
  filter(filters: Filters): void;
  more(): void;
  again(): void;
  cancel(): void;
  reveal(): void;
  command(id: PanelCommand): void;
  toggleFilters(): void;
  toggleWholeText(): void;
  toggleHelp(): void;
}
