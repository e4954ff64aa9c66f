/** Order of the cards when one snapshot replaces another. Pure. */

/**
 * Places the ids of a new snapshot so that cards under the reader keep their place.
 *
 * A pinned card stays at the index it had; the others fill the places around it in their new order.
 * A pinned card that the new snapshot lacks is kept where it is. Without pins, or with pins that
 * were not shown, the result is `incoming`. Ids are taken to be unique in each list.
 */
export function mergeOrder(
  previous: readonly string[],
  incoming: readonly string[],
  pinned: ReadonlySet<string>,
): string[] {
  const held = new Map<number, string>();
  previous.forEach((id, index) => {
    if (pinned.has(id)) held.set(index, id);
  });
  const stays = new Set(held.values());
  const rest = incoming.filter((id) => !stays.has(id));
  const order: string[] = [];
  let next = 0;
  for (let left = held.size; left > 0 || next < rest.length;) {
    const here = held.get(order.length);
    const filler = rest[next];
    if (here !== undefined) {
      order.push(here);
      held.delete(order.length - 1);
      left -= 1;
    } else if (filler !== undefined) {
      order.push(filler);
      next += 1;
    } else {
      // Fewer cards than before: the pinned ones close up, in the order they had.
      for (const [, id] of [...held].sort(([a], [b]) => a - b)) order.push(id);
      break;
    }
  }
  return order;
}

/** The element of `order` that the tab stop goes to: `wanted` where it is there, else the first. */
export function tabStop(order: readonly string[], wanted: string | null): string | null {
  if (wanted !== null && order.includes(wanted)) return wanted;
  return order[0] ?? null;
}
