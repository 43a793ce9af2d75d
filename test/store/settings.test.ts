import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseLocatedJson } from "../../store/json-lines.ts";
import { defaultSettings, loadSettings, parseSettings, SettingsError } from "../../store/settings.ts";

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-settings-"));
  path = join(folder, "settings.json");
});
afterAll(() => rmSync(folder, { recursive: true }));

function messageOf(text: string): string {
  try {
    parseSettings(text, "settings.json");
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

describe("settings.json", () => {
  test("may be missing, and is not made", () => {
    expect(loadSettings(path)).toEqual(defaultSettings());
    expect(existsSync(path)).toBe(false);
  });

  test("has these defaults", () => {
    expect(defaultSettings()).toMatchObject({
      plan: "team",
      public_url: null,
      auto_pin_failed: true,
      cold_dir: null,
      retention: { hot_days: null, warm_days: null, blob_grace_days: 7, runs_days: 90, max_bytes: null },
      upload_cap_bytes: null,
      signed_url_seconds: 3600,
      rate_limits: { reads_per_minute: 600, writes_per_minute: 120, ingests_per_minute: 30 },
      debugger: { base_url: null, budget_cents_per_month: 500 },
      code_host: { api_url: "https://api.github.com", app_id: null },
      notifications: {
        allow_private_addresses: false,
        retry_seconds: [5, 30, 120, 600, 1800, 7200, 18000, 36000],
      },
      browser: {
        executable: null,
        slots: 2,
        recycle_after_runs: 50,
        run_timeout_seconds: 300,
        allow_private_targets: true,
      },
      synthetic: { email_prefix: "synthetic", email_domain: "example.invalid", exclude_origins: [] },
      mender: { mode: "suggestive", forbidden_paths: [], token_budget: 100_000 },
      internal_service_token: null,
    });
  });

  test("refuse a region's own proxy where private targets are refused: it would decide itself", () => {
    const regions =
      '"regions": { "eu": { "locale": "de-DE" },\n "us": { "proxy": "http://proxy.test:3128" } }';
    expect(messageOf(`{ "browser": { "allow_private_targets": false },\n ${regions} }`)).toBe(
      'settings.json, line 3: "regions.us.proxy" cannot stand beside "browser.allow_private_targets": false, since a proxy itself decides what it connects to.',
    );
    expect(parseSettings(`{ ${regions} }`, "s").regions.us?.proxy).toBe("http://proxy.test:3128");
    const alone = parseSettings('{ "browser": { "allow_private_targets": false } }', "s");
    expect(alone.browser.allow_private_targets).toBe(false);
    expect(messageOf('{ "browser": { "allow_private_targets": "no" } }')).toContain("must be true or false");
  });

  test("fills what is not said, in every section", () => {
    const settings = parseSettings('{ "retention": { "hot_days": 0.001 }, "plan": "free" }', "s");
    expect(settings.retention).toEqual({ ...defaultSettings().retention, hot_days: 0.001 });
    expect(settings.plan).toBe("free");
  });

  test("takes every documented key", () => {
    const text = JSON.stringify({
      public_url: "https://traces.example.com",
      cold_dir: "/mnt/cold",
      debugger: { base_url: "http://localhost:11434/v1", model: "m", api_key: "k", input_cents_per_mtok: 3 },
      code_host: { app_id: 12, private_key: "p", repository: "owner/name", webhook_secret: "s" },
      sso: {
        issuer: "https://id.example.com",
        client_id: "c",
        client_secret: "s",
        verified_domains: ["x.io"],
      },
      notifications: {
        retry_seconds: [1],
        smtp: { host: "mail", port: 25, user: "u", password: "p", from: "a@b" },
      },
      regions: {
        "eu-west-1": {
          locale: "de-DE",
          timezone: "Europe/Berlin",
          geolocation: { latitude: 52.5, longitude: 13.4 },
          network: { latency_ms: 20, download_kbps: 5000, upload_kbps: 1000 },
          proxy: "http://proxy:3128",
        },
      },
      secrets: { TEST_CARD: "4242" },
      redaction: { headers: ["x-secret"], patterns: ["\\d{16}"] },
      internal_service_token: "token",
    });
    expect(parseSettings(text, "s").regions["eu-west-1"]?.network.latency_ms).toBe(20);
  });

  test.each([
    ['{\n  "plan": "gold"\n}', 2, '"plan"', "one of free, team, business, enterprise"],
    ['{"mender": {\n"mode": "automatic"}}', 2, '"mender.mode"', "must be suggestive"],
    ['{\n\n  "retention": {\n    "hot_days": "ten" } }', 4, '"retention.hot_days"', "a number above 0"],
    ['{\n"retention": {\n"hot_days": 0 } }', 3, '"retention.hot_days"', "a number above 0"],
    ['{\n"colour": 1 }', 2, '"colour"', "is not a setting"],
    ['{"retention":\n{"hot": 1}}', 2, '"retention.hot"', "known here: hot_days"],
    ['{"rate_limits": {\n"reads_per_minute": 0}}', 2, '"rate_limits.reads_per_minute"', "at least 1"],
    ['{"upload_cap_bytes":\n 1.5}', 1, '"upload_cap_bytes"', "a whole number"],
    ['{"secrets": {\n"A": 4}}', 2, '"secrets.A"', "text or an object"],
    ['{"secrets": {\n"A-1": "x"}}', 2, '"secrets.A-1"', "names here match"],
    ['{"secrets": {"A": {\n"value": 4}}}', 2, '"secrets.A.value"', "text"],
    ['{"secrets": {\n"A": {}}}', 2, '"secrets.A.value"', "missing"],
    [
      '{"secrets": {"A": {"value": "x",\n"origin": []}}}',
      2,
      '"secrets.A.origin"',
      "known here: value, origins",
    ],
    ['{"secrets": {"A": {"value": "x",\n"origins": []}}}', 2, '"secrets.A.origins"', "a list of 1 to 50"],
    [
      '{"secrets": {"A": {"value": "x", "origins": ["https://a.example",\n"https://a.example/x"]}}}',
      2,
      '"secrets.A.origins.1"',
      "an http(s) origin without a path",
    ],
    [
      '{"regions": {"eu": {\n"network": {\n"latency_ms": -1}}}}',
      3,
      '"regions.eu.network.latency_ms"',
      "at least 0",
    ],
    ['{"regions": {\n"Berlin Lab": {}}}', 2, '"regions.Berlin Lab"', "names here match ^[a-z0-9-]{1,40}$"],
    ['{"notifications": {\n"smtp": {"host": "x"}}}', 2, '"notifications.smtp.port"', "missing"],
    ['{"public_url": "ftp://x"}', 1, '"public_url"', "matches"],
    ['{\n"public_url": "http://x/path"}', 2, '"public_url"', "matches"],
    ["[]", 1, "document", "object"],
    ["", 1, "ends", "value"],
    ['{\n"plan": "team",\n}', 3, "double quotes", ""],
    ['{\n"plan": "team"\n"x": 1}', 3, "expected", ""],
    ['{"plan": "team",\n"plan": "free"}', 2, '"plan"', "twice"],
    ['{"plan": teem}', 1, "not JSON", ""],
    ['{"a": 01}', 1, "not JSON", ""],
    ["{} x", 1, "follows", ""],
  ])("refuses %p, naming line %p and %p", (text, line, key, hint) => {
    const message = messageOf(text);
    expect(message).toStartWith(`settings.json, line ${line}: `);
    expect(message).toContain(key);
    expect(message).toContain(hint);
  });

  test("never has its values repeated in an error", () => {
    expect(messageOf('{"internal_service_token": 123456789}')).not.toContain("123456789");
    expect(messageOf('{"secrets": {"A": ["hunter2"]}}')).not.toContain("hunter2");
  });

  test("is left as it is when it is bad", () => {
    const text = '{ "plan": "gold" }';
    writeFileSync(path, text);
    expect(() => loadSettings(path)).toThrow(path);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("cannot reach prototypes", () => {
    expect(messageOf('{"__proto__": {"plan": "free"}}')).toContain("__proto__");
    expect(messageOf('{"secrets": {\n"__proto__": "x"}}')).toContain("line 2");
  });
});

describe("JSON with lines", () => {
  test("is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(isPlain), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseLocatedJson(text).value).toEqual(JSON.parse(text));
      }),
    );
  });

  test("refuses what JSON.parse refuses", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"\\ 0-.e\n'), (text, at, char) => {
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + char + text.slice(place);
        const isJson = accepts(() => JSON.parse(broken));
        const isRead = accepts(() => parseLocatedJson(broken));
        if (!isJson) expect(isRead).toBe(false);
      }),
    );
  });
});

function isPlain(value: unknown): boolean {
  return !JSON.stringify(value).includes("__proto__");
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
