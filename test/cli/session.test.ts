import { expect, test } from "bun:test";
import { sessionOn } from "../../server/cli/session.ts";
import { loadConfig } from "../../server/config.ts";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { serve } from "../../server/main.ts";
import { scratchFolder } from "../helpers/program.ts";

test("a session with a server of the same process writes while that is in the middle of a transaction", async () => {
  const scratch = scratchFolder();
  const served = await serve(loadConfig({ data: scratch.at("data"), port: 0 }, {}));
  const { records } = served.runtime.deps.store;
  const session = sessionOn(served);
  const written = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const transaction = records.transaction().execute(async (within) => {
    await within.updateTable("orgs").set({ name: "Renamed" }).execute();
    written.resolve();
    await goOn.promise;
  });
  await written.promise;
  const linked = createSigninLink(session, { orgId: session.orgId, base: session.serverUrl! });
  // As far as it comes before the transaction ends.
  await new Promise(setImmediate);
  goOn.resolve();
  await transaction;
  const { url } = await linked;
  expect((await fetch(url, { redirect: "manual" })).status).toBe(302);
  await served.close();
  scratch.remove();
});
