import { createHash } from "node:crypto";
import { createByteCache } from "../../../store/events/cache.ts";
import type { MadeScreen } from "../../viewer-assets.ts";

const KEPT_BYTES = 32 * 1024 * 1024;
/** What the cache itself and the objects around a page take, roughly. */
const ENTRY_BYTES = 512;

/** First screens of finished traces as they were answered, in memory. */
export interface KeptScreens {
  /**
   * The page under this key, made when it is not there, or when it is older than `validMs`: links in it end. Whoever asks
   * while it is made waits for the same one. Null, which is not kept, where it cannot be made.
   * @throws what `make` throws
   */
  take(
    key: string,
    time: { now: number; validMs: number },
    make: () => Promise<MadeScreen | null>,
  ): Promise<MadeScreen | null>;
  /** Bytes that are held. */
  readonly bytes: number;
}

interface Kept {
  made: MadeScreen;
  /** Epoch ms. */
  until: number;
}

export function createKeptScreens(maxBytes = KEPT_BYTES): KeptScreens {
  const cache = createByteCache(maxBytes);
  const making = new Map<string, Promise<MadeScreen | null>>();

  async function makeAndKeep(key: string, until: number, make: () => Promise<MadeScreen | null>) {
    try {
      const made = await make();
      if (made) cache.set(key, { made, until } satisfies Kept, sizeOf(made));
      return made;
    } finally {
      making.delete(key);
    }
  }

  return {
    get bytes() {
      return cache.bytes;
    },
    async take(key, { now, validMs }, make) {
      const kept = cache.get<Kept>(key);
      if (kept && now < kept.until) return kept.made;
      const underWay = making.get(key);
      if (underWay) return underWay;
      const promise = makeAndKeep(key, now + validMs, make);
      making.set(key, promise);
      return promise;
    },
  };
}

/** One name for everything that a page depends on: who may read it where, and what it shows. */
export function screenKey(parts: { reader: unknown[]; shown: unknown[] }): string {
  return createHash("sha256")
    .update(JSON.stringify([parts.reader, parts.shown]))
    .digest("base64url");
}

function sizeOf({ body, headers }: MadeScreen): number {
  const text = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return body.byteLength + text + ENTRY_BYTES;
}
