/** The encoders of one evaluation: one for every move, or one a move. */
import { MOVES, RatioError, type Move } from '../engine/engine';
import { knowsMoves } from '../engine/encoder/prompts';
import { openEncoder, type EvaluationEncoder } from './encoder';
import type { Encoders } from './retrievers';

/** Folders by move. */
export type EncoderFolders = Record<Move, string>;

/**
 * Reads `--encoder` values: one `DIR`, or `MOVE=DIR` for every move. A folder whose name begins
 * with a move and `=` is written `./…`.
 */
export function encoderFolders(values: readonly string[], fallback: string): EncoderFolders {
  const folders: Partial<EncoderFolders> = {};
  let common: string | null = null;
  for (const value of values) {
    const [, move, folder] = /^(address|broaden|specify)=(.+)$/.exec(value) ?? [];
    if (move !== undefined && folder !== undefined) folders[move as Move] = folder;
    else if (common === null) common = value;
    else
      throw new RatioError(
        'bad-input',
        'Give one --encoder DIR, or one --encoder MOVE=DIR a move.',
      );
  }
  const given = Object.keys(folders).length;
  if (given > 0 && common === null && given < MOVES.length) {
    const missing = MOVES.filter((move) => folders[move] === undefined);
    throw new RatioError(
      'bad-input',
      `There is no encoder for ${missing.join(' and ')}: add --encoder MOVE=DIR.`,
    );
  }
  const rest = common ?? fallback;
  return {
    address: folders.address ?? rest,
    broaden: folders.broaden ?? rest,
    specify: folders.specify ?? rest,
  };
}

export type OpenEncoders = Encoders & {
  /** Encoder ids by move. */
  ids: Record<Move, string>;
  /** Whether another move gives a query other results. */
  told: boolean;
  close(): Promise<void>;
};

/** Opens the encoders, each folder once. The caller closes them. */
export async function openEncoders(
  folders: EncoderFolders,
  device: string,
  cache: string | null,
): Promise<OpenEncoders> {
  const open = new Map<string, EvaluationEncoder>();
  const close = async (): Promise<void> => {
    for (const { model } of open.values()) await model.close();
  };
  try {
    for (const move of MOVES) {
      const folder = folders[move];
      if (!open.has(folder)) open.set(folder, await openEncoder(folder, device));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const forMove = (move: Move): EvaluationEncoder => {
    const encoder = open.get(folders[move]);
    if (!encoder) throw new Error(`no encoder for ${move}`);
    return encoder;
  };
  return {
    forMove,
    cache,
    ids: {
      address: forMove('address').model.id,
      broaden: forMove('broaden').model.id,
      specify: forMove('specify').model.id,
    },
    told: open.size > 1 || [...open.values()].some(({ prompts }) => knowsMoves(prompts)),
    close,
  };
}
