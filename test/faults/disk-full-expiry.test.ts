import { Database } from "bun:sqlite";
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { testApp } from "../helpers/app.ts";
import { eventLines } from "../helpers/bundles.ts";
import { fire } from "../helpers/by-clock.ts";
import { scratchFolder } from "../helpers/program.ts";
import { type SmallDisk, smallDisk } from "../helpers/small-disk.ts";
import { getJson, runPeriodic } from "../helpers/traces.ts";
import { send, watched } from "../helpers/watch.ts";

const DAY = 86_400_000;
const scratch = scratchFolder();
let number = 0;
let disk: SmallDisk | undefined;
afterEach(() => disk?.unmount());
afterAll(() => scratch.remove());

/** Reads at one moment of the records until it is let go: what is written from then on stays in their log. */
function readerOf(path: string): Disposable {
  const reader = new Database(path, { readonly: true });
  reader.exec("BEGIN");
  reader.query("SELECT count(*) FROM traces").get();
  return { [Symbol.dispose]: () => reader.close() };
}

/**
 * Twenty minutes of a check of three regions, which are old enough to go when the disk is full.
 * @param inLog minutes of which the records are in their log alone: it is longer than ever then, and what is in it has no room in the database
 */
async function expireOnFullDisk(small: SmallDisk, lines: string, inLog: number): Promise<{ left: number }> {
  await using t = await testApp({
    dataDir: `${small.path}/data`,
    settings: { retention: { runs_days: 10 }, auto_pin_failed: false },
  });
  const regions = ["us-east-1", "eu-west-1", "ap-south-1"];
  const check = await watched(t, "flow", { cron: "* * * * *", regions, enabled: true });
  const minutes = async (count: number) => {
    for (let n = 0; n < count; n++) {
      t.clock.advance(60_000);
      await fire(t, () => ({ status: "passed", lines }));
    }
  };
  await minutes(20 - inLog);
  {
    using _ = readerOf(`${small.path}/data/tracedeck.db`);
    await minutes(inLog);
    await send(t, "PUT", `/v1/scheduled_checks/${check}`, { enabled: false });
    await runPeriodic(t, "room for removals");
    t.clock.advance(11 * DAY);
    small.fill();
    expect(small.free()).toBe(0);
  }
  await runPeriodic(t, "traces.expire");
  await t.runJobs();
  const { items } = await getJson<{ items: unknown[] }>(t, "/v1/traces?limit=200");
  expect(small.free()).toBeGreaterThan(100_000);
  small.empty();
  return { left: items.length };
}

describe.if(process.getuid?.() === 0)("on a full disk traces that are old enough go all the same", () => {
  const newDisk = () => {
    disk = smallDisk(scratch.at(`disk${++number}`), 48 << 20);
    return disk;
  };

  test("and make room", async () => {
    expect(await expireOnFullDisk(newDisk(), eventLines(200), 0)).toEqual({ left: 3 });
  }, 60_000);

  test("where the log of the records is as long as it ever is", async () => {
    expect(await expireOnFullDisk(newDisk(), eventLines(200), 4)).toEqual({ left: 3 });
  }, 60_000);

  test("each in the room that the files of the one before leave", async () => {
    const hash = (seq: number) => createHash("sha512").update(String(seq)).digest("base64");
    const lines = eventLines(2000, (seq) => ({ text: hash(seq) }));
    expect(await expireOnFullDisk(newDisk(), lines, 12)).toEqual({ left: 3 });
  }, 60_000);
});
