import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import type { Command } from "commander";
import { createProgram } from "../../server/cli/program.ts";
import { commandsOf } from "../helpers/commands.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

describe("the command line", () => {
  const scratch = scratchFolder();
  afterAll(scratch.remove);
  const data = scratch.at("data");

  const commands = commandsOf(createProgram());

  test("its commands are found by walking through it", () => {
    expect(commands.map(({ words }) => words)).toEqual(
      expect.arrayContaining(["serve", "traces list", "scenarios check", "synthetic init", "licenses"]),
    );
  });

  test.each(commands.map(({ words, command }) => [words, helpOf(command)]))(
    "%s has help with an example and takes --data",
    (words, help) => {
      expect(help).toContain("--data <dir>");
      expect(help).toContain(`Example:\n  $ tracedeck ${words}`);
    },
  );

  test.each([
    [["nosuch", "--help"]],
    [["-h", "nosuch"]],
    [["help", "nosuch"]],
    [["traces", "nosuch", "--help"]],
    [["nosuch", "--help", "--json"]],
  ])("%p names no command: help does not hide that", async (args) => {
    const { code, stderr } = await runProgram(args);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown command 'nosuch'");
  });

  test.each([
    [["--help"]],
    [["help"]],
    [["traces", "--help"]],
    [["help", "traces"]],
    [["traces", "list", "-h"]],
  ])("%p is answered with help", async (args) => {
    const { code, stdout } = await runProgram(args);
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: tracedeck");
  });

  test("the version is that of the package", async () => {
    const { version } = await import("../../package.json");
    expect(await runProgram(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each([
    [["nonsense"], "unknown command"],
    [["serve", "--nonsense"], "unknown option"],
    [["ingest"], "--scenario"],
    [["ingest", "x.zip"], "--scenario"],
    [["ingest", "x.zip", "--scenario", "Not A Slug"], "a-z, 0-9"],
    [["ingest", "x.zip", "--scenario", "a", "--source", "elsewhere"], "shadow_diff"],
    [["traces", "list", "--limit", "many"], "whole number"],
    [["traces", "list", "--status", "lost"], "one of queued"],
    [["traces", "show"], "missing required argument"],
    [["keys", "create"], "--name"],
    [["keys", "create", "--name", "x", "--scopes", "everything"], "traces:read"],
    [["keys", "create", "--name", "x", "--expires", "yesterday"], "ISO 8601"],
    [["keys", "revoke", "mine"], "UUID"],
    [["secrets", "set", "MY-KEY"], "letters, digits and _"],
    [["secrets", "set", "KEY", "hunter2"], "too many arguments"],
    [["secrets", "set", "KEY", "--origin", "https://a.example/path"], "an http(s) origin"],
    [["secrets", "set", "KEY"], "no value"],
    [["traces", "list", "--limit", "201"], "from 1 to 200"],
    [["traces", "list", "--from", "2026-02-30"], "ISO 8601"],
    [["traces", "list", "--tier", "tepid"], "warm"],
    [["traces", "list", "--source", "elsewhere"], "shadow_diff"],
    [["traces", "events", "x", "--limit", "1001"], "from 1 to 1000"],
    [["ingest", "x.zip", "--scenario", "a", "--server", "http://localhost:1"], "--api-key"],
    [["serve", "--port", "99999"], "port"],
    [["serve", "--host", "0.0.0.0", "--trust-org-header"], "loopback"],
    [["serve", "--public-url", "localhost"], "public URL"],
    [["restore"], "missing required argument"],
    [["ingest", "trace.zip", "--outbox", ".tracedeck-outbox"], "--outbox takes no files"],
    [["ingest", "trace.zip"], "--scenario is missing"],
  ])("%p is a wrong use: exit code 2, said on standard error", async (args, words) => {
    const { code, stdout, stderr } = await runProgram([...args, "--data", data]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
  });

  test("what fails is told in one sentence, with exit code 1 and no stack", async () => {
    writeFileSync(scratch.at("file"), "");
    mkdirSync(scratch.at("bad-settings"));
    writeFileSync(scratch.at("bad-settings", "settings.json"), '{\n  "plan": "gold"\n}');
    mkdirSync(scratch.at("bad-database"));
    writeFileSync(scratch.at("bad-database", "tracedeck.db"), "this is no database".repeat(100));
    const cases: [string[], RegExp][] = [
      [["keys", "list", "--data", scratch.at("file")], /file/],
      [["keys", "list", "--data", scratch.at("file", "below")], /file/],
      [["keys", "list", "--data", scratch.at("bad-settings")], /settings\.json, line 2: "plan"/],
      [["keys", "list", "--data", scratch.at("bad-database")], /no database/],
      [["ingest", scratch.at("missing.zip"), "--scenario", "a", "--data", data], /no file/],
      [["ingest", scratch.path, "--scenario", "a", "--data", data], /no trace\.zip in the folder/],
      [["traces", "show", "nothingHere1", "--data", data], /no trace "nothingHere1"/],
      [["restore", scratch.at("missing"), "--data", data], /no backup file/],
      [["backup", scratch.at("out"), "--data", scratch.at("nowhere")], /no store/],
    ];
    for (const [args, words] of cases) {
      const { code, stderr } = await runProgram(args);
      expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringMatching(words) });
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  }, 120_000);

  test("colours stay away from pipes", async () => {
    const outcome = await runProgram(["keys", "list", "--data", data]);
    expect(outcome.stdout + outcome.stderr).not.toContain("\x1b");
    expect(outcome.stdout).toContain("credentials.json");
  });
});

describe("a folder that a server holds, a port that is taken", () => {
  const scratch = scratchFolder();
  const data = scratch.at("data");
  let server: RunningServer;
  let other: Server;
  let port: number;

  beforeAll(async () => {
    server = await startProgram(data);
    other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    port = (other.address() as { port: number }).port;
  });

  afterAll(async () => {
    await server.stop();
    other.close();
    scratch.remove();
  });

  test("a second server is refused and told who holds the folder", async () => {
    const { code, stderr } = await runProgram(["serve", "--port", "0", "--data", data]);
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${server.pid}`);
    expect(stderr).toContain("--data");
  });

  test("restore and repair are refused while it runs", async () => {
    writeFileSync(scratch.at("any"), "x");
    for (const args of [
      ["restore", scratch.at("any"), "--force"],
      ["doctor", "--repair"],
    ]) {
      const { code, stderr } = await runProgram([...args, "--data", data]);
      expect(code).toBe(1);
      expect(stderr).toContain(String(server.pid));
    }
  });

  test("a port in use is said with the way out, and the folder is free again", async () => {
    const args = ["serve", "--port", String(port), "--data", scratch.at("second")];
    const { code, stderr } = await runProgram(args);
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port}`);
    expect(stderr).toContain("--port");
    const again = await startProgram(scratch.at("second"));
    expect(await again.stop()).toBe(0);
  });

  test("keys made and revoked beside a running server count at once", async () => {
    const made = await runProgram([
      "keys",
      "create",
      "--name",
      "ci",
      "--scopes",
      "traces:read",
      "--data",
      data,
      "--json",
    ]);
    const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
    const me = () => fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await me()).status).toBe(200);
    expect((await runProgram(["keys", "list", "--data", data])).stdout).toContain(id);
    expect((await runProgram(["keys", "revoke", id, "--data", data])).code).toBe(0);
    expect((await me()).status).toBe(401);
  });

  test("a sign-in link signs in once", async () => {
    const { stdout } = await runProgram(["signin", "--json", "--data", data]);
    const { url, expires_at } = JSON.parse(stdout) as { url: string; expires_at: string };
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    const first = await fetch(url, { redirect: "manual" });
    expect(first.status).toBe(302);
    expect(first.headers.get("set-cookie")).toContain("product_session=");
    expect((await fetch(url, { redirect: "manual" })).status).toBe(401);
  });

  test("another org has its own key, and its slug cannot be taken twice", async () => {
    const make = () => runProgram(["orgs", "create", "other", "--json", "--data", data]);
    const { org_id, api_key } = JSON.parse((await make()).stdout) as { org_id: string; api_key: string };
    const me = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${api_key}` } });
    expect(((await me.json()) as { org: { id: string } }).org.id).toBe(org_id);
    expect((await make()).code).toBe(1);
  });
});
