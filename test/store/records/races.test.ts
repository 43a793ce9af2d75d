import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUDIT_GENESIS, auditHash, recordAudit } from "../../../store/records/audit.ts";
import { findLastPasses } from "../../../store/records/baselines.ts";
import type { Trx } from "../../../store/records/db.ts";
import { findAnswer, rememberAnswer } from "../../../store/records/idempotency.ts";
import { insertOrg } from "../../../store/records/identity.ts";
import { recordingsOf, setRecordings } from "../../../store/records/recordings.ts";
import { addRunLogs, insertRun, readRunLogs } from "../../../store/records/runs.ts";
import {
  insertSavedSearch,
  savedSearchesOf,
  updateSavedSearch,
} from "../../../store/records/saved-searches.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import { putSecret, secretsOf } from "../../../store/records/secrets.ts";
import {
  countShareViews,
  listShareViews,
  recordShareViews,
  TOLD_SHARE_VIEWS,
} from "../../../store/records/share.ts";
import { listTraces } from "../../../store/records/trace-list.ts";
import { findTrace, insertTrace, traceCreatedAt } from "../../../store/records/traces.ts";
import { openStore, type Store } from "../../../store/store.ts";
import { childCommand } from "../../helpers/child.ts";
import { ROUNDS } from "./racer.ts";

// Two connections to one database. Without a transaction nothing but the constraints keeps their statements apart, as with
// an engine whose transactions go on side by side.
let dataDir: string;
let east: Store;
let west: Store;
const AT = Date.parse("2026-03-01T12:00:00Z");
const TRACE = "01900000-0000-7000-8000-000000000001";
const bare = (store: Store) => store.records as unknown as Trx;
const both = <T>(work: (store: Store, name: string) => Promise<T>) =>
  Promise.all([work(east, "east"), work(west, "west")]);

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "races-"));
  east = openStore(dataDir);
  west = openStore(dataDir);
  await insertOrg(east.records, { id: "o", slug: "o", name: "o", created_at: 1 });
  await upsertScenario(east.records, { id: "s", orgId: "o", slug: "s", title: null, now: 1 });
  for (const id of ["r", "processes"])
    await insertRun(east.records, {
      id,
      org_id: "o",
      type: "manual",
      status: "running",
      scenario_id: "s",
      scenario_slug: "s",
      region: "here",
      trigger: "api",
      plan: "{}",
      scheduled_at: 1,
    });
  await insertTrace(east.records, {
    id: TRACE,
    org_id: "o",
    short_id: "short",
    scenario_id: "s",
    scenario_slug: "s",
    scenario_title: "s",
    status: "passed",
    tier: "hot",
  });
});
afterAll(async () => {
  await east.close();
  await west.close();
  rmSync(dataDir, { recursive: true });
});

const entry = (target: string) => ({
  orgId: "o",
  at: AT,
  actor: { type: "system", id: "x" },
  action: "thing.do",
  target,
  ip: null,
});

const chain = () => east.records.selectFrom("audit_events").selectAll().orderBy("seq").execute();

async function expectOneChain(targets: string[]): Promise<void> {
  const entries = await chain();
  let before = AUDIT_GENESIS;
  for (const { hash, ...row } of entries) {
    expect(row.prev_hash).toBe(before);
    expect(auditHash(row)).toBe(hash);
    before = hash;
  }
  expect(entries.map(({ target }) => target).sort()).toEqual(targets.sort());
}

const line = (message: string) => ({ ts: AT, level: "info" as const, message, step_id: null });

test("the audit chain does not fork when two append at once", async () => {
  const targets: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    await both((store, name) => {
      targets.push(`${name} ${round}`);
      return recordAudit(bare(store), entry(`${name} ${round}`));
    });
  await expectOneChain(targets);
  const [first, second] = await chain();
  const fork = { ...second!, seq: 1000, prev_hash: first!.prev_hash };
  await expect(west.records.insertInto("audit_events").values(fork).execute()).rejects.toThrow("UNIQUE");
});

test("a run's log loses no line of two that are added at once", async () => {
  await both((store, name) =>
    addRunLogs(
      store.records,
      "r",
      Array.from({ length: ROUNDS }, (_, at) => line(`${name} ${at}`)),
    ),
  );
  const lines = await readRunLogs(east.records, "r", { after: -1, limit: 1000 });
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * ROUNDS }, (_, at) => at));
  for (const name of ["east", "west"])
    expect(lines.map(({ message }) => message).filter((message) => message.startsWith(name))).toEqual(
      Array.from({ length: ROUNDS }, (_, at) => `${name} ${at}`),
    );
});

test("processes that write at once lose nothing and fork nothing", async () => {
  const before = (await chain()).map(({ target }) => target);
  const racers = ["north", "south"].map((name) =>
    Bun.spawn([...childCommand(join(import.meta.dir, "racer.ts")), dataDir, name], { stderr: "inherit" }),
  );
  expect(await Promise.all(racers.map(({ exited }) => exited))).toEqual([0, 0]);
  const told = ["north", "south"].flatMap((name) =>
    Array.from({ length: ROUNDS }, (_, at) => `${name} ${at}`),
  );
  await expectOneChain([...before, ...told]);
  const lines = await readRunLogs(east.records, "processes", { after: -1, limit: 1000 });
  expect(lines.map(({ message }) => message).sort()).toEqual(told.sort());
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at));
});

test("traces of two servers in one millisecond lie beside each other, and no page leaves one out", async () => {
  const AT_ONCE = "01900000-0000-7fff";
  const idOf = (name: string, round: number) =>
    `${AT_ONCE}-8000-${name === "east" ? "0" : "1"}0000000000${round}`;
  const ids: string[] = [];
  for (const round of [0, 1])
    await both((store, name) => {
      const id = idOf(name, round);
      ids.push(id);
      return insertTrace(store.records, {
        ...{ id, org_id: "o", short_id: id, scenario_id: "s", scenario_slug: "s", scenario_title: "s" },
        ...{ status: "passed", tier: "hot", claimed_status: "passed" },
      });
    });
  const listed: string[] = [];
  for (;;) {
    const after = listed.at(-1);
    const { traces } = await listTraces(west.records, {
      ...{ orgId: "o", status: "passed", limit: 1, from: traceCreatedAt(ids[0]!) },
      ...(after !== undefined && { after }),
    });
    if (traces.length === 0) break;
    listed.push(traces[0]!.id);
  }
  expect(listed.filter((id) => id.startsWith(AT_ONCE)).sort()).toEqual(ids.sort());
  const newest = (await findTrace(east.records, listed[0]!))!;
  const passes = await findLastPasses(east.records, newest, 9);
  expect(passes.map(({ id }) => id)).toEqual(listed.slice(1));
  await east.records.deleteFrom("traces").where("id", "in", ids).execute();
});

test("a scenario that two make at once is one", async () => {
  const made = await both((store, name) =>
    upsertScenario(store.records, { id: name, orgId: "o", slug: "new", title: "New", now: 1 }),
  );
  expect(made[0]).toEqual(made[1]);
});

test("recordings that two put there at once are those of one of them", async () => {
  const recordings = (name: string) => [{ name: "api", hash: name, har: new Uint8Array([1]) }];
  await both((store, name) => setRecordings(store.records, "s", recordings(name)));
  const kept = await recordingsOf(east.records, "s");
  expect(kept).toHaveLength(1);
  expect(["east", "west"]).toContain(kept[0]!.hash);
});

test("a visitor whom two servers see at once is listed once and counted twice", async () => {
  const view = (id: string, at: number) => ({
    id,
    traceId: TRACE,
    at,
    ip: null,
    userAgent: "browser",
    isEmbedded: false,
  });
  await both((store, name) => recordShareViews(bare(store), [view(name, AT)]));
  expect(await listShareViews(east.records, TRACE)).toMatchObject([{ times: 2 }]);
  expect(await countShareViews(east.records, TRACE)).toMatchObject({ views: 2 });
  // A visit that is told late belongs to its own day.
  await recordShareViews(bare(east), [view("early", AT - 24 * 60 * 60_000)]);
  await recordShareViews(bare(west), [view("again", AT - 24 * 60 * 60_000 + 1)]);
  expect((await listShareViews(east.records, TRACE)).map(({ times }) => times)).toEqual([2, 2]);
});

const search = (id: string) => ({ id, org_id: "o", name: id, query: "x", created_at: 1, updated_at: 1 });

describe("of two who come at once for the last place one gets it:", () => {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

  test("saved searches of an org, each with a place of its own", async () => {
    for (const most of rounds)
      await both(({ records }, name) => insertSavedSearch(records, search(`${name} ${most}`), most));
    const kept = await savedSearchesOf(east.records, "o");
    expect(kept).toHaveLength(ROUNDS - 1);
    expect(new Set(kept.map(({ position }) => position)).size).toBe(kept.length);
    const full = await both(({ records }, name) => insertSavedSearch(records, search(name), kept.length));
    expect(full).toEqual(["full", "full"]);
    await east.records.deleteFrom("saved_searches").execute();
  });

  test("secrets of an org; one that is there is replaced all the same", async () => {
    const secret = (name: string) => ({
      ...{ org_id: "o", name, sealed: new Uint8Array([1]), origins: null },
      ...{ created_at: 1, updated_at: 1 },
    });
    for (const most of rounds)
      await both(({ records }, name) => putSecret(records, secret(`${name} ${most}`), most));
    const kept = await secretsOf(east.records, "o", 100);
    expect(kept).toHaveLength(ROUNDS - 1);
    expect(await both(({ records }) => putSecret(records, secret(kept[0]!.name), 1))).toEqual([true, true]);
    expect(await both(({ records }, name) => putSecret(records, secret(name), kept.length))).toEqual([
      false,
      false,
    ]);
  });

  test("openings of a share that are told apart", async () => {
    const openings = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...{ id: `${name} ${at}`, traceId: TRACE, at: AT + 1, ip: `${name} ${at}` },
        ...{ userAgent: "full", isEmbedded: false },
      }));
    const { views } = await countShareViews(east.records, TRACE);
    await east.records
      .updateTable("share_totals")
      .set({ views: TOLD_SHARE_VIEWS - 10 })
      .execute();
    await both((store, name) => recordShareViews(bare(store), openings(name, 10)));
    const listed = await listShareViews(east.records, TRACE);
    expect(listed.filter(({ userAgent }) => userAgent === "full")).toHaveLength(10);
    expect(await countShareViews(east.records, TRACE)).toMatchObject({ views: TOLD_SHARE_VIEWS + 10 });
    await east.records.updateTable("share_totals").set({ views }).execute();
  });
});

describe("who comes second learns it:", () => {
  test("with an org of the same slug", async () => {
    const made = await both(({ records }, name) =>
      insertOrg(records, { id: name, slug: "acme", name: "acme", created_at: 1 }),
    );
    expect(made.sort()).toEqual([false, true]);
  });

  test("with a saved search of the same name", async () => {
    const made = await both(({ records }, id) =>
      insertSavedSearch(
        records,
        {
          ...search(id),
          name: "mine",
        },
        9,
      ),
    );
    expect(made.sort()).toEqual(["inserted", "taken"]);
  });

  test("with a saved search that is renamed to the same", async () => {
    for (const id of ["this", "that"]) await insertSavedSearch(east.records, search(id), 9);
    const ids: Record<string, string> = { east: "this", west: "that" };
    const made = await both(({ records }, name) =>
      updateSavedSearch(records, ids[name]!, { name: "wanted", updated_at: 2 }),
    );
    expect(made.sort()).toEqual([false, true]);
    expect(await updateSavedSearch(east.records, "this", { updated_at: 3 })).toBe(true);
  });

  test("with an answer under the same key, until the first has expired", async () => {
    const remember = ({ records }: Store, name: string, now: number) =>
      rememberAnswer(records, "o", "key", { requestHash: name, response: "{}" }, now);
    expect((await both((store, name) => remember(store, name, AT))).sort()).toEqual([false, true]);
    const DAY = 24 * 60 * 60_000;
    expect(await remember(west, "later", AT + DAY - 1)).toBe(false);
    expect(await remember(west, "later", AT + DAY)).toBe(true);
    expect(await findAnswer(east.records, "o", "key", AT + DAY)).toMatchObject({ requestHash: "later" });
  });
});
