import type { Records } from "./db.ts";
import { engineOf } from "./engine/engine-of.ts";

/**
 * Gives back to the disk what rows that were removed have left, in the index of words too, and nothing needs soon, in small steps between which others get
 * their turn. @returns bytes
 */
export async function giveBackRoom(records: Records): Promise<number> {
  const { room, fullText } = engineOf(records);
  await fullText.clearOldWords(records);
  let given = 0;
  for (;;) {
    const bytes = await room.giveBack(records);
    if (bytes <= 0) return given;
    given += bytes;
  }
}
