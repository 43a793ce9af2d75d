import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../../server/config.ts";

let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "tracedeck-config-"));
});
afterAll(() => rmSync(data, { recursive: true }));

describe("the configuration", () => {
  test("is bound to loopback on port 4173 by itself", () => {
    expect(loadConfig({ data }, {})).toMatchObject({
      host: "127.0.0.1",
      port: 4173,
      publicUrl: null,
      trustOrgHeader: false,
      dataDir: data,
    });
  });

  test("takes flags over the environment over settings.json", () => {
    writeFileSync(join(data, "settings.json"), '{ "public_url": "https://settings.example" }');
    const env = { TRACEDECK_DATA: data, TRACEDECK_PUBLIC_URL: "https://env.example", TRACEDECK_PORT: "5" };
    expect(loadConfig({ data }, {}).publicUrl).toBe("https://settings.example");
    expect(loadConfig({}, env)).toMatchObject({ publicUrl: "https://env.example", port: 5, dataDir: data });
    expect(loadConfig({ publicUrl: "https://flag.example/", port: "0" }, env)).toMatchObject({
      publicUrl: "https://flag.example",
      port: 0,
    });
    rmSync(join(data, "settings.json"));
  });

  test("takes secrets from the environment over settings.json, which says where they may go", () => {
    const secrets = { A: "of settings", B: { value: "of settings", origins: ["HTTPS://Shop.Example:443/"] } };
    writeFileSync(join(data, "settings.json"), JSON.stringify({ secrets }));
    const env = { TRACEDECK_SECRET_B: "of env", TRACEDECK_SECRET_c: "of env", TRACEDECK_SECRET_A: "" };
    expect(loadConfig({ data }, { ...env, "TRACEDECK_SECRET_D-1": "x" }).secrets).toEqual({
      A: { value: "of settings", origins: null, source: "settings" },
      B: { value: "of env", origins: ["https://shop.example"], source: "environment" },
      c: { value: "of env", origins: null, source: "environment" },
    });
    rmSync(join(data, "settings.json"));
  });

  test("keeps its data where the platform wants user data", () => {
    const dir = (env: Record<string, string>) => loadConfig({}, env).dataDir;
    if (process.platform !== "linux") return;
    expect(dir({ HOME: "/nowhere" })).toBe("/nowhere/.local/share/tracedeck");
    expect(dir({ HOME: "/nowhere", XDG_DATA_HOME: "/nowhere/x" })).toBe("/nowhere/x/tracedeck");
  });

  test.each([
    ["free", 7, 30, 100 * 1024 ** 2, 2],
    ["team", 30, 90, 1024 ** 3, 10],
    ["business", 90, 365, 4 * 1024 ** 3, 10],
    ["enterprise", 180, 730, 16 * 1024 ** 3, 10],
  ])("gives the plan %p its limits", (plan, hotDays, warmDays, uploadCapBytes, replaysAtOnce) => {
    writeFileSync(join(data, "settings.json"), JSON.stringify({ plan }));
    expect(loadConfig({ data }, {}).limits).toMatchObject({
      hotDays,
      warmDays,
      uploadCapBytes,
      replaysAtOnce,
    });
    writeFileSync(
      join(data, "settings.json"),
      JSON.stringify({ plan, retention: { hot_days: 0.5 }, upload_cap_bytes: 9 }),
    );
    expect(loadConfig({ data }, {}).limits).toMatchObject({
      hotDays: 0.5,
      warmDays,
      uploadCapBytes: 9,
      replaysAtOnce,
    });
    rmSync(join(data, "settings.json"));
  });

  test.each([
    [{ port: "x" }, "port"],
    [{ port: "70000" }, "port"],
    [{ port: "-1" }, "port"],
    [{ publicUrl: "traces.example.com" }, "public URL"],
    [{ publicUrl: "https://x.example/path" }, "public URL"],
    [{ publicUrl: "https://u:p@x.example" }, "public URL"],
    [{ logLevel: "loud" }, "log level"],
    [{ trustOrgHeader: true, host: "0.0.0.0" }, "--trust-org-header"],
    [{ trustOrgHeader: true, host: "192.168.1.5" }, "--trust-org-header"],
  ])("refuses %p in words", (flags, hint) => {
    const load = () => loadConfig({ data, ...flags }, {});
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(hint);
  });

  test("cannot be changed once it is read", () => {
    const config = loadConfig({ data }, {});
    expect(() => {
      config.settings.retention.blob_grace_days = 0;
    }).toThrow(TypeError);
  });
});
