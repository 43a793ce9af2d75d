import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DamagedFileError } from "../../../store/events/errors.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { createWarmEvents, type PackedEvents, type WarmEvents } from "../../../store/files/warm-events.ts";
import { createWork } from "../../../store/files/work.ts";
import { writeDurably } from "../../../store/files/write.ts";
import { openStore, type Store } from "../../../store/store.ts";
import { until } from "../../helpers/until.ts";

let folder: string;
let store: Store;
let forgotten: string[];
let warm: WarmEvents;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-warm-"));
  store = openStore(folder);
  forgotten = [];
  const files = createLocalFiles(store.files.address);
  const forget = (path: string) => void forgotten.push(path);
  warm = createWarmEvents({ files, work: createWork(folder), forget });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A pack that holds events and their index, and what the records say of them. */
async function packed(traceId: string): Promise<PackedEvents> {
  const [events, index] = [`events of ${traceId}`, `index of ${traceId}`];
  const { path, sha256 } = await writeDurably(store.work.path(traceId), [Buffer.from(events + index)]);
  const key = await store.files.put({ path, traceId, name: "pack.zip", sha256 });
  const member = (text: string, offset: number) => ({
    location: { key, offset, storedSize: text.length, size: text.length, method: 0 as const },
    sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
  });
  return { traceId, events: member(events, 0), index: member(index, events.length) };
}

test("events of a pack are leased as files of their own, one copy for all who ask", async () => {
  const place = await packed("a");
  const [one, two] = await Promise.all([warm.lease(place), warm.lease(place)]);
  expect(two.path).toBe(one.path);
  expect(readFileSync(one.path, "utf8")).toBe("events of a");
  expect(readFileSync(one.indexPath, "utf8")).toBe("index of a");
});

test("a few that nobody leases are kept; the oldest goes, one that is leased does not", async () => {
  const leased = await warm.lease(await packed("leased"));
  const first = await warm.lease(await packed("first"));
  first.release();
  for (const name of ["b", "c", "d", "e", "f", "g", "h"]) (await warm.lease(await packed(name))).release();
  await until("the oldest copy is gone", () => !existsSync(first.path));
  expect(forgotten).toEqual([first.path]);
  expect(readFileSync(leased.path, "utf8")).toBe("events of leased");
});

test("a pack that does not hold what the records say is told, and asked again the next time", async () => {
  const place = await packed("damaged");
  const wrong = { ...place, events: { ...place.events, sha256: "0".repeat(64) } };
  await expect(warm.lease(wrong)).rejects.toThrow(DamagedFileError);
  await expect(warm.lease(wrong)).rejects.toThrow(DamagedFileError);
  expect(readFileSync((await warm.lease(place)).path, "utf8")).toBe("events of damaged");
});
