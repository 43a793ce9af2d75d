import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createOrg } from "../../../server/identity/orgs.ts";
import { writeBackup } from "../../../store/backup.ts";
import { AUDIT_GENESIS, auditHash, auditRowsOf, recordAudit } from "../../../store/records/audit.ts";
import { restoreBackup } from "../../../store/restore.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { scratchFolder } from "../../helpers/program.ts";
import { statement } from "../../helpers/statement.ts";

type Entry = {
  seq: number;
  at: string;
  actor: { type: string; id: string };
  action: string;
  target: string;
  detail: Record<string, unknown>;
  prev_hash: string;
  hash: string;
};
type Verification = {
  ok: boolean;
  entries: number;
  checkpoints: number;
  last_checkpoint_at: string | null;
  after_checkpoint: number;
  replacements: { event: string; lost: number }[];
  problems: { kind: string; seq: number | null; message: string }[];
};

let scratch: ReturnType<typeof scratchFolder>;
let clock: ReturnType<typeof createTestClock>;
let t: TestApp;
beforeEach(async () => {
  scratch = scratchFolder();
  clock = createTestClock();
  t = await open();
});
afterEach(async () => {
  await t.close();
  scratch.remove();
});

const open = (dataDir = scratch.at("data")) => testApp({ dataDir, clock });
const checkpointsFile = () => join(t.dataDir, "audit", "checkpoints.ndjson");
const lines = () => readFileSync(checkpointsFile(), "utf8").trimEnd().split("\n");

async function act(
  count: number,
  more: { target?: string; at?: number; detail?: object } = {},
): Promise<void> {
  await t.store.records.transaction().execute(async (trx) => {
    for (let each = 0; each < count; each++) {
      const { target = `t${each}`, at = clock.now(), detail = {} } = more;
      await recordAudit(trx, {
        ...{ orgId: t.orgId, at, actor: { type: "session", id: "ada" }, action: "trace.delete" },
        ...{ target, ip: null, detail: detail as Record<string, unknown> },
      });
      clock.advance(1);
    }
  });
}

const get = (path: string, init?: RequestInit) => t.api(`/v1/audit-events${path}`, init);
async function list(query = ""): Promise<{ items: Entry[]; next_cursor: string | null }> {
  const response = await get(query);
  expect(response.status).toBe(200);
  return (await response.json()) as { items: Entry[]; next_cursor: string | null };
}
async function verified(): Promise<Verification> {
  clock.advance(60_000);
  return (await (await get("/verification")).json()) as Verification;
}
const kinds = async () => (await verified()).problems.map(({ kind, seq }) => [kind, seq]);

describe("the list of what was done", () => {
  test("has every entry as it was decided, newest first, page by page", async () => {
    await act(5);
    const seen: Entry[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(seen.slice(0, 5).map(({ target }) => target)).toEqual(["t4", "t3", "t2", "t1", "t0"]);
    expect(Object.keys(seen[0]!)).toEqual("seq at actor action target ip detail prev_hash hash".split(" "));
    expect(seen.at(-1)).toMatchObject({ action: "org.create", prev_hash: AUDIT_GENESIS });
    for (const [index, entry] of seen.entries())
      expect(entry.prev_hash).toBe(seen[index + 1]?.hash ?? AUDIT_GENESIS);
  });

  test("is filtered by who, what, to what and when", async () => {
    const start = clock.now();
    await act(3);
    const targets = async (query: string) => (await list(query)).items.map(({ target }) => target);
    expect(await targets("?actor=ada&target=t1")).toEqual(["t1"]);
    expect(await targets("?action=trace.delete")).toHaveLength(3);
    expect(await targets("?action=trace.*")).toHaveLength(3);
    expect(await targets("?action=org.*")).toEqual([t.orgId]);
    expect(await targets("?actor=nobody")).toEqual([]);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(await targets(`?from=${at(start + 1)}&to=${at(start + 2)}`)).toEqual(["t1"]);
    for (const bad of ["?from=soon", `?from=${at(2)}&to=${at(1)}`, "?cursor=x", "?action=%25", "?limit=0"])
      expect((await get(bad)).status).toBe(422);
  });

  test("is for owners, admins and keys with audit:read, each of its own org", async () => {
    const { api_key } = await createOrg(t.deps, "another");
    await act(1, { target: "ours" });
    const theirs = await (await get("", { headers: { authorization: `Bearer ${api_key}` } })).text();
    expect(theirs).not.toContain("ours");
    const made = await t.api("/v1/api-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ci", scopes: ["traces:read"] }),
    });
    const { key } = (await made.json()) as { key: string };
    const refused = await get("", { headers: { authorization: `Bearer ${key}` } });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ error: "insufficient_scope" }),
    ]);
  });

  test("shows an entry that was made unreadable instead of failing", async () => {
    await act(1);
    await statement(t.store, "UPDATE audit_events SET detail = '{' WHERE target = 't0'");
    expect((await list()).items[0]!.detail).toEqual({ unreadable: "{" });
  });
});

describe("an export", () => {
  test("is the chain in its order, which whoever has it can check by themselves", async () => {
    await act(1200);
    const response = await get("/export");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="audit.ndjson"');
    const entries = (await response.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
    expect(entries.length).toBeGreaterThan(1200);
    let previous = AUDIT_GENESIS;
    const { canonicalJson } = await import("../../../store/canonical-json.ts");
    const { createHash } = await import("node:crypto");
    for (const { hash, ...entry } of entries) {
      expect(entry.prev_hash).toBe(previous);
      previous = hash;
      expect(createHash("sha256").update(canonicalJson(entry)).digest("hex")).toBe(hash);
    }
    const some = await (await get("/export?target=t7")).text();
    expect(some.trimEnd().split("\n")).toHaveLength(1);
  });

  test("as CSV has nothing that a spreadsheet would run", async () => {
    await act(1, { target: '=HYPERLINK("http://x.example","a")', detail: { name: 'a,"b' } });
    const text = await (await get("/export?format=csv")).text();
    expect(text.split("\r\n")[0]).toBe("seq,at,actor_type,actor_id,action,target,ip,detail,prev_hash,hash");
    expect(text).toContain(`"'=HYPERLINK(""http://x.example"",""a"")"`);
    expect(text).not.toMatch(/,"?[=+@]/);
  });
});

describe("checkpoints", () => {
  test("are written after a hundred entries, after three minutes, and at the end", async () => {
    await t.deps.auditTrail.keep();
    expect(lines()).toHaveLength(1);
    await act(99);
    await t.deps.auditTrail.keep();
    expect(lines()).toHaveLength(1);
    await act(1);
    await t.deps.auditTrail.keep();
    expect(lines()).toHaveLength(2);
    await act(1);
    clock.advance(3 * 60_000);
    await t.deps.auditTrail.keep();
    await t.deps.auditTrail.keep();
    expect(lines()).toHaveLength(3);
    await act(1);
    await t.close();
    expect(lines()).toHaveLength(4);
    expect(statSync(checkpointsFile()).mode & 0o777).toBe(0o600);
    t = await open();
    await t.close();
    expect(lines()).toHaveLength(4);
    t = await open();
    const { ok, checkpoints, after_checkpoint, entries } = await verified();
    expect([ok, checkpoints, after_checkpoint, entries]).toEqual([true, 4, 0, 104]);
  });

  test("that a crash cut in the middle of a line spoil nothing", async () => {
    await t.deps.auditTrail.keep();
    truncateSync(checkpointsFile(), statSync(checkpointsFile()).size - 20);
    await act(1);
    await t.deps.auditTrail.keep({ all: true });
    expect(lines()).toHaveLength(2);
    expect(await verified()).toMatchObject({ ok: true, checkpoints: 1, problems: [] });
  });

  test("of entries that a crash kept from being committed do not exist: the chain comes first", async () => {
    await act(3);
    expect(existsSync(checkpointsFile())).toBe(false);
    expect(await verified()).toMatchObject({ ok: true, checkpoints: 0, after_checkpoint: 5 });
  });
});

describe("what was done to the chain is told apart:", () => {
  let last: number;
  beforeEach(async () => {
    await act(10);
    await t.deps.auditTrail.keep({ all: true });
    last = (await list("?limit=1")).items[0]!.seq;
  });

  /** Writes a chain anew from an entry on, as somebody would who knows how it is made. */
  async function rechain(from: number, change: (row: { target: string; at: number }) => object) {
    const rows = await auditRowsOf(t.store.records, t.orgId, { after: from - 1, limit: 1000 });
    let previous = rows[0]!.prev_hash;
    await statement(t.store, "DELETE FROM audit_events WHERE seq >= ?", from);
    for (const { hash: _, ...row } of rows) {
      const anew = { ...row, ...change(row), prev_hash: previous };
      previous = auditHash(anew);
      await t.store.records
        .insertInto("audit_events")
        .values({ ...anew, hash: previous })
        .execute();
    }
  }

  test("nothing", async () => {
    expect(await verified()).toMatchObject({ ok: true, problems: [] });
  });

  test("an altered entry", async () => {
    await statement(t.store, "UPDATE audit_events SET actor_id = 'bob' WHERE seq = ?", last - 4);
    expect(await kinds()).toEqual([["altered", last - 4]]);
  });

  test("an entry altered together with its hash", async () => {
    const [row] = await auditRowsOf(t.store.records, t.orgId, { after: last - 5, limit: 1 });
    const anew = { ...row!, target: "another" };
    const hash = auditHash(anew);
    await statement(
      t.store,
      "UPDATE audit_events SET target = 'another', hash = ? WHERE seq = ?",
      hash,
      last - 4,
    );
    expect(await kinds()).toEqual([["altered", last - 3]]);
  });

  test("an entry taken out", async () => {
    await statement(t.store, "DELETE FROM audit_events WHERE seq = ?", last - 4);
    expect(await kinds()).toEqual([["altered", last - 3]]);
  });

  test("a cut-off end, also after the chain went on", async () => {
    await statement(t.store, "DELETE FROM audit_events WHERE seq > ?", last - 3);
    expect(await kinds()).toEqual([["cut", last]]);
    await act(1);
    expect(await kinds()).toEqual([["cut", last]]);
    await act(5);
    expect(await kinds()).toEqual([["cut", last]]);
    await t.deps.auditTrail.keep();
    expect(t.logged.join("")).toContain("does not hold its last checkpoint");
    expect(await kinds()).toEqual([["cut", last]]);
  });

  test("a chain written anew", async () => {
    await rechain(last - 4, (row) => ({ target: row.target === "t6" ? "innocent" : row.target }));
    expect(await kinds()).toEqual([["rewritten", last]]);
  });

  test("a checkpoint written by somebody without the key, and one of another key", async () => {
    const [line] = lines();
    appendFileSync(checkpointsFile(), `${line!.replace(/"count":\d+/, '"count":3')}\n`);
    expect(await kinds()).toEqual([["forged", null]]);
    appendFileSync(checkpointsFile(), `${line!.replace(/"key":"\w+"/, '"key":"0000000000000000"')}\n`);
    expect(await kinds()).toEqual([
      ["forged", null],
      ["foreign", null],
    ]);
  });

  test("another org's chain is no matter of this one", async () => {
    await createOrg(t.deps, "another");
    await t.deps.auditTrail.keep({ all: true });
    await statement(t.store, "DELETE FROM audit_events WHERE org_id <> ?", t.orgId);
    expect(await verified()).toMatchObject({ ok: true });
    const all = await t.deps.auditTrail.verifyAll();
    expect(all.map(({ problems }) => problems.length).toSorted()).toEqual([0, 1]);
  });
});

describe("a backup that is put back", () => {
  const backUp = () =>
    writeBackup({
      ...{ dataDir: t.dataDir, coldDir: scratch.at("cold"), outPath: scratch.at("backup"), program: "test" },
      ...{ now: clock.now(), id: "1" },
    });
  const putBack = (dataDir: string) =>
    restoreBackup({
      ...{ dataDir, file: scratch.at("backup"), id: "2", force: true, now: clock.now() },
      coldDirOf: () => scratch.at("cold"),
    });

  test("over a newer store is told apart from a cut, says how much went, and the chain goes on", async () => {
    await act(3);
    await t.deps.auditTrail.keep({ all: true });
    await backUp();
    await act(4);
    await t.close();
    await putBack(t.dataDir);
    t = await open();
    const state = await verified();
    expect(state).toMatchObject({
      ok: true,
      entries: 5,
      replacements: [{ event: "backup.restore", lost: 4 }],
    });
    await act(2);
    await t.deps.auditTrail.keep({ all: true });
    expect(await verified()).toMatchObject({ ok: true, entries: 7 });
    await statement(t.store, "DELETE FROM audit_events WHERE seq > 6");
    expect(await kinds()).toEqual([["cut", 7]]);
  });

  test("into an empty folder holds, though checkpoints came after its records", async () => {
    await act(2);
    await t.deps.auditTrail.keep({ all: true });
    await backUp();
    await t.close();
    await putBack(scratch.at("elsewhere"));
    t = await open(scratch.at("elsewhere"));
    expect(await verified()).toMatchObject({ ok: true, replacements: [{ lost: 0 }] });
  });

  test("and a file of checkpoints that was taken away leaves the chain alone", async () => {
    await act(2);
    await t.deps.auditTrail.keep({ all: true });
    rmSync(checkpointsFile());
    expect(await verified()).toMatchObject({ ok: true, checkpoints: 0, last_checkpoint_at: null });
    writeFileSync(checkpointsFile(), "no line of ours\n");
    expect(await verified()).toMatchObject({ ok: true, checkpoints: 0 });
  });
});
