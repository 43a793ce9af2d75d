import { expect, test } from "bun:test";
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { moveDown } from "../../../server/trace/tiers/down.ts";
import { restoreTrace } from "../../../server/trace/tiers/restore.ts";
import { tidyTrace } from "../../../server/trace/tiers/tidy.ts";
import { strayFiles } from "../../../store/check.ts";
import { nameOfKey } from "../../../store/files/keys.ts";
import { plainName } from "../../../store/files/names.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
import { testApp } from "../../helpers/app.ts";
import { statement } from "../../helpers/statement.ts";
import { fileNamed, plainNames } from "../../helpers/trace-files.ts";
import { getJson, pathOf, uploadTrace } from "../../helpers/traces.ts";

test("files that an older version named without their content are read, and go to another tier and back", async () => {
  const app = await testApp();
  try {
    const { id } = await uploadTrace(app);
    await app.runJobs();
    const folder = app.store.layout.trace(id);
    const reads = async () => {
      const { signed_urls } = await getJson(app, `/v1/traces/${id}`);
      const paths = [`/v1/traces/${id}/events`, pathOf(signed_urls.summary!)];
      return Promise.all(paths.map(async (path) => (await app.api(path)).text()));
    };
    const before = await reads();
    for (const { kind, path } of await artifactsOf(app.store.records, id)) {
      if (kind !== "summary" && kind !== "manifest") continue;
      const older = path.replace(nameOfKey(path), plainName(nameOfKey(path)));
      expect(older).not.toBe(path);
      renameSync(join(app.dataDir, path), join(app.dataDir, older));
      await statement(app.store, "UPDATE artifacts SET path = ? WHERE path = ?", older, path);
    }
    expect(await reads()).toEqual(before);

    await moveDown(app.deps, id, "warm");
    await app.runJobs();
    expect(await reads()).toEqual(before);
    expect(plainNames(folder)).toEqual(["pack.zip", "summary.json"]);

    await moveDown(app.deps, id, "cold");
    await app.runJobs();
    const cold = join(app.dataDir, "cold");
    renameSync(fileNamed(cold, `${id}.zip`), join(cold, `${id}.zip`));
    await statement(app.store, "UPDATE artifacts SET path = ? WHERE kind = 'pack'", `${id}.zip`);
    await tidyTrace(app.deps, id, null);
    expect(readdirSync(cold)).toEqual([`${id}.zip`]);

    await restoreTrace(app.deps, id, new AbortController().signal);
    await app.runJobs();
    expect(await reads()).toEqual(before);
    expect(plainNames(folder)).toEqual([
      "events.index",
      "events.ndjson.zst",
      "manifest.json",
      "summary.json",
    ]);
    expect(readdirSync(cold)).toEqual([]);
    const strays = (await strayFiles(app.store)).map(({ path }) => path);
    expect(strays.filter((path) => path.startsWith(app.store.layout.traces))).toEqual([]);
  } finally {
    await app.close();
  }
}, 120_000);
