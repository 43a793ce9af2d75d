import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { type OutboxEntry, openOutbox } from "../../../../server/run/playwright/outbox.ts";
import { scratchFolder } from "../../../helpers/program.ts";

const scratch = scratchFolder();
afterAll(() => scratch.remove());

const entry = (at: number): OutboxEntry => ({
  version: 1,
  id: `entry-${String(at).padStart(6, "0")}`,
  fields: { scenario_slug: "shop", error: "It is not there. ".repeat(100) },
  idempotency_key: String(at),
  has_archive: true,
});

test("beyond its limit the oldest archives go, those of an earlier run too, and the newest stays", async () => {
  const archive = scratch.at("archive.zip");
  writeFileSync(archive, new Uint8Array(100));
  const folder = scratch.at("limited");
  const earlier = openOutbox(folder);
  for (const at of [1, 2, 3]) await earlier.add(entry(at), archive);
  const outbox = openOutbox(folder, { mostBytes: 350 });
  const held = async () => (await outbox.list()).map(({ idempotency_key }) => Number(idempotency_key));
  await outbox.add(entry(4), archive);
  expect(await held()).toEqual([2, 3, 4]);
  await outbox.done(entry(3));
  await outbox.add(entry(5), archive);
  expect(await held()).toEqual([2, 4, 5]);
  await outbox.add(entry(6), archive);
  expect(await held()).toEqual([4, 5, 6]);
  writeFileSync(archive, new Uint8Array(1000));
  await outbox.add(entry(7), archive);
  expect(await held()).toEqual([7]);
});

test("what an entry costs does not grow with those that wait already", async () => {
  const outbox = openOutbox(scratch.at("many"));
  let added = 0;
  /** Processor time of the next hundred, in microseconds. */
  async function hundred(): Promise<number> {
    const before = process.cpuUsage();
    for (let at = 0; at < 100; at++) await outbox.add(entry(++added), null);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }
  await hundred();
  const early = await hundred();
  for (let at = 0; at < 6; at++) await hundred();
  expect(await hundred()).toBeLessThan(early * 3);
}, 60_000);
