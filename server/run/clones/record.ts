import type { Clock } from "../../platform/clock.ts";
import type { Recorded } from "./har.ts";
import { json, openDoor } from "./http.ts";
import { createEntries } from "./state.ts";
import type { Clone, CloneRequest, CloneResponse, OnExchange } from "./types.ts";

/**
 * Answers as it was recorded: by method, address and, where several bodies were recorded for one address, body. The
 * same request again gets the next recorded answer, and the last one from then on. What was not recorded is a 404 that
 * says so. Its state is how often each request was answered.
 */
export async function createRecordClone(
  recorded: readonly Recorded[],
  options: { clock: Clock; onExchange: OnExchange },
): Promise<Clone> {
  const entries = createEntries();
  const byAddress = Map.groupBy(recorded, ({ method, url }) => keyOf(method, url.href));
  /** The target's server asks at the clone's address, so only the rest of it can be the recorded one. */
  const byPath = Map.groupBy(recorded, ({ method, url }) => keyOf(method, url.pathname + url.search));

  function candidates({ method, url }: CloneRequest): Recorded[] {
    const exact = byAddress.get(keyOf(method, url.href));
    return exact ?? (isOwn(url) ? byPath.get(keyOf(method, url.pathname + url.search)) : undefined) ?? [];
  }

  async function handle(request: CloneRequest): Promise<CloneResponse> {
    const { method, url } = request;
    const known = candidates(request);
    const body = new TextDecoder().decode(request.body);
    const sameBody = known.filter((one) => isSameBody(one.body, body));
    const answers = sameBody.length > 0 ? sameBody : known.filter((one) => one.body === null);
    if (answers.length === 0) {
      const why = known.length > 0 ? "with this body" : "in the HAR";
      return json({ error: `${method} ${url.href.slice(0, 500)} was not recorded ${why}.` }, 404);
    }
    const [{ url: address, body: recordedBody }] = answers as [Recorded];
    const key = `${method} ${address.href}${recordedBody === null ? "" : ` #${Bun.hash.crc32(recordedBody)}`}`;
    const served = Number(entries.get(key) ?? 0);
    entries.set(key, served + 1);
    return answers[Math.min(served, answers.length - 1)]!.response;
  }

  const door = openDoor(handle, options);
  const own = new URL(door.url).origin;
  const isOwn = (url: URL): boolean => url.origin === own;
  return {
    service: "record",
    addresses: { "record.url": door.url },
    state: entries.state,
    restore: entries.restore,
    handle,
    onChange: entries.onChange,
    close: door.close,
  };
}

const keyOf = (method: string, address: string): string => `${method} ${address.split("#")[0]}`;

/** JSON is the same whatever the order of its keys. */
function isSameBody(recorded: string | null, sent: string): boolean {
  if (recorded === null) return sent === "";
  if (recorded === sent) return true;
  try {
    return Bun.deepEquals(JSON.parse(recorded), JSON.parse(sent));
  } catch {
    return false;
  }
}
