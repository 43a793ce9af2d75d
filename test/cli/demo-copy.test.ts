import { expect, test } from "bun:test";
import { insertCopy, openMaster, writeCopy } from "../../server/cli/demo/copy.ts";
import { commit } from "../../server/jobs/commit.ts";
import { findTrace } from "../../store/records/traces.ts";
import { testApp } from "../helpers/app.ts";
import { getJson, uploadTrace } from "../helpers/traces.ts";

test("a copy is made anew where a start was killed before the records knew of it", async () => {
  await using app = await testApp();
  const { id: masterId } = await uploadTrace(app);
  const master = await openMaster(app.deps, (await findTrace(app.store.records, masterId))!);
  const at = app.clock.now() - 60_000;
  const difference = { id: app.deps.ids.uuid(), shortId: "CopyOfATrace", at, stretch: 1, row: {} };
  await writeCopy(app.deps, master, difference);
  const copy = await writeCopy(app.deps, master, difference);
  await commit(app.deps, (trx) => insertCopy(trx, copy));
  const { events } = await getJson<{ events: unknown[] }>(app, `/v1/traces/${difference.id}/events`);
  expect(events).toHaveLength(10);
});
