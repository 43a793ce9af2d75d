import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { putArtifact } from "../../../store/records/artifacts.ts";
import { forgetLoose, LOOSE, registerLooseBlobs } from "../../../store/records/blobs.ts";
import { migrate } from "../../../store/records/engine/sqlite/migrate.ts";

import { removeTrace, traceOrd, updateTrace } from "../../../store/records/traces.ts";
import { type TestRecords, testRecords } from "../../helpers/records.ts";

let store: TestRecords;
beforeAll(async () => {
  store = await testRecords();
});
afterAll(() => store.close());

/** The totals as counting everything gives them. */
const COUNTED = `
  SELECT org_id, 'tier' AS kind, tier || CASE pinned WHEN 1 THEN ' pinned' ELSE '' END AS value,
    sum(total_size_bytes) AS bytes, count(*) AS count FROM traces GROUP BY 1, 3
  UNION ALL SELECT org_id, 'scenario', scenario_id, sum(total_size_bytes), count(*) FROM traces GROUP BY 1, 3
  UNION ALL SELECT org_id, 'day', CAST(created_at / 86400000 AS TEXT), sum(total_size_bytes), count(*)
    FROM traces GROUP BY 1, 3
  UNION ALL SELECT t.org_id, 'artifact', a.kind, sum(a.size), count(*)
    FROM artifacts a JOIN traces t ON t.id = a.trace_id WHERE a.pack_offset IS NULL GROUP BY 1, 3
  UNION ALL SELECT '', 'blobs', '', sum(stored_size), count(*) FROM blob_locations WHERE container = '${LOOSE}'
    HAVING count(*) > 0
  ORDER BY 1, 2, 3`;
/** What ages, counted anew. */
const COUNTED_AGEING = `
  SELECT org_id, tier AS kind, aged_from / 3600000 AS hour, sum(total_size_bytes) AS bytes, count(*) AS count FROM traces
    WHERE pinned = 0 AND tier <> 'cold' AND status NOT IN ('queued', 'running') GROUP BY 1, 2, 3
  UNION ALL SELECT org_id, 'clock', aged_from / 3600000, sum(total_size_bytes), count(*) FROM traces
    WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND status NOT IN ('queued', 'running') GROUP BY 1, 3
  UNION ALL SELECT org_id, 'cold', aged_from / 3600000, sum(total_size_bytes), count(*) FROM traces
    WHERE by_clock = 1 AND (pinned = 0 OR auto_pinned = 1) AND tier = 'cold' AND status NOT IN ('queued', 'running')
    GROUP BY 1, 3
  ORDER BY 1, 2, 3`;
const KEPT_AGEING = "SELECT org_id, kind, hour, bytes, count FROM ageing_totals ORDER BY 1, 2, 3";
const KEPT = "SELECT org_id, kind, value, bytes, count FROM storage_totals WHERE count > 0 ORDER BY 1, 2, 3";

const act = fc.record({
  what: fc.constantFrom("insert", "change", "remove", "artifact", "packed", "blob", "forget"),
  at: fc.nat(100),
  tier: fc.constantFrom("hot" as const, "warm" as const, "cold" as const),
  pinned: fc.nat(1),
  auto_pinned: fc.nat(1),
  by_clock: fc.nat(1),
  status: fc.constantFrom("queued" as const, "passed" as const, "failed" as const),
  aged: fc.nat(3),
  size: fc.nat(1000),
  kind: fc.constantFrom("ndjson", "playwright", "pack"),
});

describe("totals of the storage", () => {
  test("whatever comes, changes and goes, they are what counting everything gives", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (acts) => {
        const ids: string[] = [];
        for (const { what, at, size, kind, aged, ...given } of acts) {
          const ages = { ...given, aged_from: store.now() - aged * 3_600_000, total_size_bytes: size };
          store.advance(size * 20_000);
          const id = ids[at % Math.max(1, ids.length)];
          if (what === "insert" || !id)
            ids.push(await store.trace(store.orgId, { ...ages, slug: `s${at % 3}` }));
          else if (what === "change") await updateTrace(store.records, id, ages);
          else if (what === "remove") await removeTrace(store.records, ids.splice(ids.indexOf(id), 1)[0]!);
          else if (what === "artifact" || what === "packed")
            await putArtifact(store.records, {
              ...{ trace_id: id, kind, path: "x", size, media_type: "a/b", sha256: "0" },
              ...(what === "packed" ? { pack_offset: 1, pack_stored_size: size, pack_method: 0 } : {}),
            });
          else if (what === "blob")
            await registerLooseBlobs(store.records, [{ hash: `h${at}`, size, suffix: "x" }], 1);
          else await forgetLoose(store.records, [`h${at}`]);
        }
        expect(store.raw.query(KEPT).all()).toEqual(store.raw.query(COUNTED).all());
        expect(store.raw.query(KEPT_AGEING).all()).toEqual(store.raw.query(COUNTED_AGEING).all());
        for (const id of ids) await removeTrace(store.records, id);
      }),
      { numRuns: 40 },
    );
  });

  test("a database of the first version is brought up with its words and its totals", () => {
    const raw = new Database(":memory:");
    const initial = join(
      import.meta.dir,
      "..",
      "..",
      "..",
      "store",
      "records",
      "engine",
      "sqlite",
      "migrations",
      "0001_initial.sql",
    );
    raw.exec(readFileSync(initial, "utf8"));
    raw.exec("PRAGMA user_version = 1");
    const id = "019ca945-0a00-727d-8006-11efbe925194";
    raw.exec(`INSERT INTO orgs VALUES ('o-1', 'local', 'local', 1);
      INSERT INTO scenarios VALUES ('c-1', 'o-1', 'pay', 'Pay', 1, 1);
      INSERT INTO traces (ord, id, org_id, short_id, scenario_id, scenario_slug, scenario_title, status, tier, code_sha,
        pr_number, created_at, aged_from, total_size_bytes)
      VALUES (${traceOrd(id)}, '${id}', 'o-1', 'x', 'c-1', 'pay', 'Pay', 'failed', 'hot', 'ABC123', 7,
        ${Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)}, 1, 50);
      UPDATE traces_fts SET failure = 'button is gone' WHERE rowid = ${traceOrd(id)};
      INSERT INTO artifacts (trace_id, kind, path, size, media_type, sha256) VALUES ('${id}', 'ndjson', 'p', 40, 'a/b', '0');
      INSERT INTO blob_locations (hash, container, stored_size, size, created_at) VALUES ('h', '', 10, 10, 1);`);
    migrate(raw);
    expect(raw.query(KEPT).all()).toEqual(raw.query(COUNTED).all());
    expect(raw.query(KEPT_AGEING).all()).toEqual(raw.query(COUNTED_AGEING).all());
    const found = (text: string) =>
      raw.query("SELECT rowid FROM traces_fts WHERE traces_fts MATCH ?").all(text).length;
    expect(found("failure : gone")).toBe(1);
    expect(found('"\uE000n7" AND "\uE000sfailed"')).toBe(1);
    expect(found(`"\uE000h${Buffer.from("abc1").toString("hex")}"*`)).toBe(1);
    raw.exec("DELETE FROM traces");
    expect(found("gone")).toBe(0);
    raw.close();
  });
});
