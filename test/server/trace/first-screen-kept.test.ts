import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createKeptScreens } from "../../../server/trace/pages/kept-screens.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events } from "../../helpers/bundles.ts";
import { otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(30_000);

const TITLE = "The cart adds up";
const HALF_AN_HOUR = 1_800_000;

let app: TestApp;
let id: string;
let shortId: string;

/** A trace whose steps are as many as its events. */
const upload = (count: number) =>
  uploadTrace(app, {
    manifest: { status: "failed", scenario: { slug: "cart", title: TITLE } },
    entries: [events(eventLines(count, (seq) => stepEvent(seq, seq === count - 1)))],
  });

function stepEvent(seq: number, isLast: boolean): Record<string, unknown> {
  const step = { step_id: `s${seq}`, title: `Add article ${seq} to the cart`, duration_ms: 5 };
  if (!isLast) return { kind: "agent.action", name: "click", ...step };
  return { kind: "assertion", ...step, passed: false, error: { message: "Expected: 3\nReceived: 2" } };
}

beforeAll(async () => {
  app = await testApp();
  ({ id, shortId } = await upload(6));
});
afterAll(() => app.close());

const ZSTD = { headers: { "accept-encoding": "zstd" } };
const ANONYMOUS = { headers: { authorization: "" } };

async function page(path = `/traces/${id}`, init: RequestInit = {}): Promise<string> {
  return await (await app.api(path, init)).text();
}

/** Links are signed for the second at which they are made: whatever was made anew after a minute differs. */
const aMinuteLater = () => app.clock.advance(60_000);

describe("a first screen is made once", () => {
  test("the next reader gets the same bytes and headers, packed or not", async () => {
    for (const init of [{}, ZSTD]) {
      const first = await app.api(`/traces/${id}`, init);
      aMinuteLater();
      const second = await app.api(`/traces/${id}`, init);
      expect(await second.bytes()).toEqual(await first.bytes());
      for (const { headers } of [first, second]) headers.delete("x-request-id");
      expect([...second.headers]).toEqual([...first.headers]);
    }
  });

  test("it is not drawn again, and its summary is not read", async () => {
    const made = await page();
    const { path } = await app.store.records
      .selectFrom("artifacts")
      .select("path")
      .where("kind", "=", "summary")
      .where("trace_id", "=", id)
      .executeTakeFirstOrThrow();
    const file = Bun.file(`${app.dataDir}/${path}`);
    const bytes = await file.bytes();
    await file.delete();
    try {
      expect(await page()).toBe(made);
    } finally {
      await Bun.write(`${app.dataDir}/${path}`, bytes);
    }
  });

  test("readers who ask at the same time get one and the same", async () => {
    const path = `/traces/${id}?tab=console`;
    const asked = Array.from({ length: 4 }, async () => {
      const answer = page(path);
      app.clock.advance(1000);
      return await answer;
    });
    expect(new Set(await Promise.all(asked)).size).toBe(1);
  });

  test("its links have at least half of their time left", async () => {
    const made = await page();
    app.clock.advance(HALF_AN_HOUR);
    const later = await page();
    expect(later).not.toBe(made);
    aMinuteLater();
    expect(await page()).toBe(later);
  });
});

describe("a first screen is made anew", () => {
  test("when something that it shows has changed", async () => {
    const seen = [await page()];
    const change = async (set: Record<string, unknown>) => {
      await app.store.records.updateTable("traces").set(set).where("id", "=", id).execute();
      const now = await page();
      expect(seen).not.toContain(now);
      seen.push(now);
    };
    expect((await post(app, `/v1/traces/${id}/unpin`)).status).toBeLessThan(300);
    seen.push(await page());
    expect(seen[1]).not.toBe(seen[0]!);
    await change({ scenario_title: "The cart is empty" });
    expect(seen.at(-1)).toContain("The cart is empty");
    await change({ status: "aborted" });
    await change({ failure_message: "It went away." });
    await change({ scenario_title: TITLE, status: "failed" });
  });

  test("when another cause was found", async () => {
    await page();
    const row = await app.store.records
      .selectFrom("causes")
      .selectAll()
      .where("trace_id", "=", id)
      .executeTakeFirstOrThrow();
    const headline = "The price list never came back.";
    const found = JSON.parse(row.cause);
    found.cause.headline = headline;
    await app.store.records
      .updateTable("causes")
      .set({ cause: JSON.stringify(found) })
      .where("trace_id", "=", id)
      .execute();
    expect(await page()).toContain(headline);
  });

  test("for another layout, another address and another host", async () => {
    const init = (headers: Record<string, string>) => ({ headers });
    const all = [
      await page(),
      await page(`/traces/${id}`, init({ cookie: "tracedeck_layout=bottom" })),
      await page(`/traces/${id}?step=s1`),
      await page(`/traces/${id}`, init({ host: "127.0.0.1" })),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test("for readers of a share, who see nothing of what a member's has, in an older link's place neither", async () => {
    const member = await page();
    const shared = [];
    for (const visibility of ["public-read", "org-only"]) {
      await post(app, `/v1/traces/${id}/share`, { visibility, expires_days: 1 });
      shared.push(await page(`/r/${shortId}`, visibility === "public-read" ? ANONYMOUS : {}));
    }
    shared.push(await page(`/r/${shortId}/embed`));
    expect(new Set([member, ...shared]).size).toBe(4);
    for (const html of shared) expect(html).not.toContain(`/v1/traces/${id}`);
    expect((await app.api(`/r/${shortId}`, ANONYMOUS)).status).toBe(302);
    await app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    expect((await app.api(`/r/${shortId}`)).status).toBe(404);
  });
});

test("what is kept opens for nobody who may not read the trace, and for nobody once it is removed", async () => {
  const { id: removed } = await upload(3);
  expect(await page(`/traces/${removed}`)).toContain(TITLE);
  const other = await otherOrg(app);
  expect(await (await other.api(`/traces/${removed}`)).text()).not.toContain(TITLE);
  expect(await page(`/traces/${removed}`, ANONYMOUS)).not.toContain(TITLE);
  const answer = await app.api(`/v1/traces/${removed}?force=1`, { method: "DELETE" });
  expect(answer.status).toBe(204);
  expect(await page(`/traces/${removed}`)).not.toContain(TITLE);
});

test("memory for screens is bounded, and those used last stay", async () => {
  const kept = createKeptScreens(10_000);
  let made = 0;
  const take = (key: string) =>
    kept.take(key, { now: 0, validMs: 1 }, async () => {
      made += 1;
      return { body: new Uint8Array(3000), headers: {} };
    });
  for (const key of ["a", "b", "a", "c", "a", "d", "a"]) await take(key);
  expect(made).toBe(4);
  expect(kept.bytes).toBeLessThanOrEqual(10_000);
  await take("b");
  expect(made).toBe(5);
});

test("what cannot be made is tried again by the next reader", async () => {
  const kept = createKeptScreens();
  const time = { now: 0, validMs: 1 };
  await expect(kept.take("a", time, () => Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
  expect(await kept.take("a", time, async () => null)).toBeNull();
  const made = { body: new Uint8Array(1), headers: {} };
  expect(await kept.take("a", time, async () => made)).toBe(made);
});

test("a trace of fifty times the steps has a first screen of less than twice the size as it is sent", async () => {
  const sizes = [];
  for (const count of [100, 5_000]) {
    const { id: sized } = await upload(count);
    const { length } = await page(`/traces/${sized}`);
    const packed = (await (await app.api(`/traces/${sized}`, ZSTD)).bytes()).length;
    sizes.push({ length, packed });
  }
  const [few, many] = sizes;
  expect(many!.packed / few!.packed).toBeLessThan(2);
  // Where the steps lie on the timeline; nothing else is there for each of them.
  expect((many!.length - few!.length) / 4_900).toBeLessThan(20);
});
