/** What a pool may be called. Names are folder names, so they are safe ones on every system. */

/** The pool that ships. */
export const STARTER = 'starter';

const NAME = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
/** Names that Windows keeps for devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

const RULE = 'use 1 to 64 letters a–z, digits, “-”, “_” and “.”, without a dot at either end.';

/** Whether a pool can have this name. */
export function isPoolName(name: string): boolean {
  return poolNameFault(name) === null;
}

/** Why a pool cannot have this name and what to do, or null where it can. */
export function poolNameFault(name: string): string | null {
  if (DEVICE.test(name)) {
    return `“${name}” cannot be the name of a pool (Windows keeps that name for a device): ${RULE}`;
  }
  return NAME.test(name) ? null : `“${name}” cannot be the name of a pool: ${RULE}`;
}
