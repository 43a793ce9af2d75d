import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
let server: RunningServer;

beforeAll(async () => {
  server = await startProgram(data);
});
afterAll(async () => {
  await server.stop();
  scratch.remove();
});

const tracedeck = (...args: string[]) => runProgram([...args, "--data", data]);

describe("tracedeck keys", () => {
  test("makes tokens of each kind with an end in words, lists them by kind and ends them", async () => {
    const made = await tracedeck(
      "keys",
      "create",
      "--kind",
      "pat",
      "--name",
      "laptop",
      "--expires",
      "30d",
      "--json",
    );
    const token = JSON.parse(made.stdout) as { id: string; key: string; expires_at: string };
    expect(token.key).toStartWith("product_pat_");
    const days = (Date.parse(token.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const service = await tracedeck("keys", "create", "--kind", "svc", "--name", "robot");
    expect(service.stdout).toMatch(/^product_svc_\w{49}\n$/);
    const list = await tracedeck("keys", "list", "--kind", "pat");
    expect(list.stdout).toContain(token.id);
    expect(list.stdout).not.toContain("robot");
    expect((await tracedeck("keys", "revoke", token.id)).code).toBe(0);
    expect((await tracedeck("keys", "list", "--kind", "pat")).stdout).not.toContain(token.id);
    expect((await tracedeck("keys", "create", "--name", "x", "--expires", "soon")).code).toBe(2);
  });
});

describe("tracedeck audit", () => {
  test("lists, exports and verifies beside a running server, and without one", async () => {
    const list = await tracedeck("audit", "list", "--action", "org.create");
    expect(list.stdout).toMatch(/1 +\S+Z +system tracedeck +org\.create/);
    const out = scratch.at("audit.csv");
    expect((await tracedeck("audit", "export", "--format", "csv", "--out", out)).code).toBe(0);
    expect(readFileSync(out, "utf8")).toStartWith("seq,at,");
    const whole = await tracedeck("audit", "verify");
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining("The audit log is whole.")]);
    await server.stop();
    const offline = JSON.parse((await tracedeck("audit", "verify", "--json")).stdout) as object;
    expect(offline).toMatchObject({ ok: true, orgs: [{ after_checkpoint: 0 }], problems: [] });
    const lines = (await tracedeck("audit", "export")).stdout.trimEnd().split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ seq: 1, action: "org.create" });
  });

  test("ends with 1 where somebody altered or cut it, which doctor tells too", async () => {
    const records = new Database(join(data, "tracedeck.db"));
    records.run("UPDATE audit_events SET target = 'x' WHERE seq = 1");
    records.run("DELETE FROM audit_events WHERE seq = (SELECT max(seq) FROM audit_events)");
    records.close();
    const found = await tracedeck("audit", "verify");
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/ALTERED .*entry 1 was altered/);
    expect(found.stdout).toMatch(/CUT .*the chain ends after/);
    const doctor = await tracedeck("doctor", "--json");
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { name: string; ok: boolean; detail: string }[];
    };
    expect(checks.find(({ name }) => name === "audit")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("local: altered: entry 1"),
    });
  });
});
