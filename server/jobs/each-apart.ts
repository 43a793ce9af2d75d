import type { Deps } from "../deps.ts";

/** Does it for each, one after the other. One that fails is logged under `what`, and keeps none of the others from being done. */
export async function forEachApart<Item extends { id: string }>(
  { log }: Pick<Deps, "log">,
  items: readonly Item[],
  what: string,
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const item of items)
    try {
      await act(item);
    } catch (error) {
      log.error(what, { id: item.id, error });
    }
}
