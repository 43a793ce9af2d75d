import { bomb } from "../../../store/archives/errors.ts";

/** What a bundle may still unpack to, over all its members and the archives inside it. */
export interface Budget {
  readonly left: number;
  /** @throws ArchiveError `bundle_bomb` when more is spent than was left. */
  spend(bytes: number): void;
}

/** @param onSpent is told of every spending. */
export function createBudget(bytes: number, onSpent: (bytes: number) => void = () => {}): Budget {
  let left = bytes;
  return {
    get left() {
      return left;
    },
    spend(more) {
      left -= more;
      onSpent(more);
      if (left < 0) throw bomb(`The bundle unpacks to more than ${bytes} bytes, which is the cap.`);
    },
  };
}

/** The chunks as they come, counted. */
export async function* spending(
  chunks: AsyncIterable<Uint8Array>,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    budget.spend(chunk.length);
    yield chunk;
  }
}
