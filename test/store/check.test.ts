import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkArtifacts } from "../../store/check.ts";
import { testApp } from "../helpers/app.ts";
import { bundle, eventLines, events, manifest, sha256, uploadForm } from "../helpers/bundles.ts";
import { statement } from "../helpers/statement.ts";

test("a file that a working server swaps during the check is held against the records of then", async () => {
  const app = await testApp();
  const other = new Database(join(app.dataDir, "tracedeck.db"));
  try {
    const body = uploadForm(bundle([manifest(), events(eventLines(5))]));
    expect((await app.api("/v1/traces/ingest", { method: "POST", body })).status).toBe(200);
    await app.runJobs();
    const rows = await statement<{ kind: string; path: string }>(
      app.store,
      "SELECT kind, path FROM artifacts",
    );
    expect(rows.length).toBeGreaterThan(1);
    const last = rows.at(-1)!;
    let isSwapped = false;
    const swap = (content: string, recorded: string) => () => {
      if (isSwapped) return;
      isSwapped = true;
      writeFileSync(join(app.dataDir, last.path), content);
      other.run("UPDATE artifacts SET sha256 = ? WHERE kind = ?", [recorded, last.kind]);
    };
    const coldDir = join(app.dataDir, "cold");
    expect((await checkArtifacts(app.store, coldDir, swap("swapped", sha256("swapped")))).damages).toEqual(
      [],
    );
    isSwapped = false;
    const { damages } = await checkArtifacts(app.store, coldDir, swap("torn", sha256("whole")));
    expect(damages).toMatchObject([{ problem: "damaged" }]);
  } finally {
    other.close();
    await app.close();
  }
});
