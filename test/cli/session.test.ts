import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { sessionOn } from "../../server/cli/session.ts";
import { loadConfig } from "../../server/config.ts";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { serve } from "../../server/main.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

// Some start the program.
setDefaultTimeout(120_000);

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

test("a command of another version leaves the records of a running server as they are, and says so", async () => {
  const scratch = scratchFolder();
  const served = await serve(loadConfig({ data: scratch.at("data"), port: 0 }, {}));
  const raw = new Database(join(scratch.at("data"), "tracedeck.db"));
  const version = () => (raw.query("PRAGMA user_version").get() as { user_version: number }).user_version;
  const wanted = version();
  raw.exec(`PRAGMA user_version = ${wanted - 1}`);
  const listed = await runProgram(["traces", "list", "--data", scratch.at("data")]);
  expect(listed.code).toBe(1);
  expect(listed.stderr).toContain("is of another version than this command");
  expect(version()).toBe(wanted - 1);
  raw.exec(`PRAGMA user_version = ${wanted}`);
  expect((await runProgram(["traces", "list", "--data", scratch.at("data")])).code).toBe(0);
  raw.close();
  await served.close();
  scratch.remove();
});
