/**
 * Messages between a webview of the panel and the extension host.
 *
 * | message | who → whom | why |
 * | --- | --- | --- |
 * | `ready` | webview → host | it has loaded; brings the state it kept over a reload |
 * | `chain` | webview → host | make a move from a card's sentence |
 * | `rerun` | webview → host | same text, another move, other filters or more inspirations |
 * | `goTo` | webview → host | show another entry of the trail |
 * | `cite`, `copy`, `open` | webview → host | do that with a card or a relative of it |
 * | `undo` | webview → host | take the last citation back in the draft |
 * | `feedback` | webview → host | a card is useful, not useful, or neither any more |
 * | `focused` | webview → host | the card, or relative, that keyboard commands act on |
 * | `revealTaken` | webview → host | show the text taken in its draft |
 * | `cancel` | webview → host | give up the current entry's request |
 * | `command` | webview → host | run one of a few commands of the extension |
 * | `state` | host → webview | all there is to show, and whether a citation can be undone; each replaces the last |
 * | `focus` | host → webview | take the keyboard focus to the cards |
 * | `announce` | host → webview | say something to a screen reader |
 *
 * The host checks what it receives; a card is named by its entry and id, so a webview can make the
 * host act only on cards that the host has shown.
 */
import * as z from 'zod';
import { moveSchema } from '../../server/protocol';
import { filtersSchema, panelStateSchema, verdictSchema } from './state';

const cardSchema = { entry: z.string(), id: z.string() };
/** A card, or the one of its relatives that is named. */
const sourceSchema = { ...cardSchema, relative: z.string().optional() };

const panelCommandSchema = z.enum(['restartEngine', 'showLogs', 'addToPool', 'choosePools']);
export type PanelCommand = z.infer<typeof panelCommandSchema>;

export const viewMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), saved: z.unknown().optional() }),
  z.object({ type: z.literal('chain'), ...cardSchema, move: moveSchema }),
  z.object({
    type: z.literal('rerun'),
    entry: z.string().nullable(),
    move: moveSchema.optional(),
    filters: filtersSchema.optional(),
    more: z.boolean().optional(),
  }),
  z.object({ type: z.literal('goTo'), index: z.number().int().nonnegative() }),
  z.object({ type: z.literal('cite'), ...sourceSchema }),
  z.object({ type: z.literal('copy'), ...sourceSchema }),
  z.object({ type: z.literal('open'), ...sourceSchema }),
  z.object({ type: z.literal('undo') }),
  z.object({ type: z.literal('feedback'), ...cardSchema, verdict: verdictSchema }),
  z.object({ type: z.literal('focused'), ...sourceSchema }),
  z.object({ type: z.literal('revealTaken') }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('command'), id: panelCommandSchema }),
]);
export type ViewMessage = z.infer<typeof viewMessageSchema>;

/** Keys as a reader sees them ("Ctrl+Alt+A"), by what they do; absent where none is bound. */
const moveKeysSchema = z.object({
  address: z.string().optional(),
  broaden: z.string().optional(),
  specify: z.string().optional(),
});
export type MoveKeys = z.infer<typeof moveKeysSchema>;

/** The webview chooses: it may be shown on another system than the host runs on. */
const keyLabelsSchema = z.object({ mac: moveKeysSchema, other: moveKeysSchema });
export type KeyLabels = z.infer<typeof keyLabelsSchema>;

export const hostMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('state'),
    state: panelStateSchema,
    keys: keyLabelsSchema,
    undoable: z.boolean(),
  }),
  z.object({ type: z.literal('focus') }),
  z.object({ type: z.literal('announce'), text: z.string() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;
