import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nounsOf } from "../../../server/docs/api.ts";
import { RUN_REASONS } from "../../../server/docs/errors.ts";
import { settingsKeys } from "../../../server/docs/settings.ts";
import { SETTINGS_WORDS } from "../../../server/docs/settings-words.ts";
import { ENVIRONMENT } from "../../../server/environment.ts";
import { ERROR_STATUS } from "../../../server/http/errors.ts";
import { pageRows } from "../../../viewer/page-table.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { docsOf, ROOT } from "../../helpers/docs.ts";

setDefaultTimeout(60_000);

let app: TestApp;
let all: Awaited<ReturnType<ReturnType<typeof docsOf>["all"]>>;
beforeAll(async () => {
  app = await testApp();
  all = await docsOf(app).all();
});
afterAll(() => app.close());

const topic = (path: string) => all.find((one) => one.path === path)!;
const ids = (path: string) => topic(path).headings.map(({ id }) => id);
const sources = () =>
  [...new Bun.Glob("{server,store}/**/*.{ts,tsx}").scanSync(ROOT)]
    .filter((file) => !file.startsWith("server/docs/"))
    .map((file) => readFileSync(join(ROOT, file), "utf8"));

describe("what is made from the program", () => {
  test("every key of settings.json stands there with what it is for", () => {
    expect(Object.keys(SETTINGS_WORDS).sort()).toEqual(
      settingsKeys()
        .map(({ path }) => path)
        .sort(),
    );
    const text = topic("/docs/settings").markdown;
    expect(text).toContain("| `retention.runs_days` | a number above 0, at most 36500 | `90` |");
    expect(text).toContain("`browser.allow_private_targets` | true or false | `true` |");
    expect(text).toContain("`regions.NAME.proxy`");
  });

  test("every variable of the environment that the program reads stands there", () => {
    const read = sources().flatMap((source) =>
      [...source.matchAll(/\benv\.(TRACEDECK_\w+)/g)].map(([, name]) => name!),
    );
    expect(read.length).toBeGreaterThan(8);
    expect(read.filter((name) => !(name in ENVIRONMENT))).toEqual([]);
    for (const name of Object.keys(ENVIRONMENT))
      expect(topic("/docs/settings").markdown).toContain(`\`${name}\``);
  });

  test("every command has a heading, its options and its example", async () => {
    const commands = await app.deps.commands();
    expect(commands.length).toBeGreaterThan(25);
    expect(ids("/docs/command-line")).toEqual(
      commands.map(({ name }) => name.replace("tracedeck ", "").replaceAll(" ", "-")),
    );
    for (const { name, options, more } of commands) {
      expect([name, options.length]).not.toEqual([name, 0]);
      expect([name, more]).toEqual([name, expect.stringContaining("Example")]);
      for (const { term } of options) expect(topic("/docs/command-line").markdown).toContain(term);
    }
    expect(commands.some(({ name }) => name.includes("worker"))).toBe(false);
  });

  test("every operation of the API has a heading with a request, what it needs, and its errors", async () => {
    const api = await (await app.api("/openapi.json")).json();
    for (const noun of nounsOf(api)) expect(topic(`/docs/api/${noun}`)).toBeDefined();
    let count = 0;
    for (const [path, operations] of Object.entries<Record<string, { operationId: string; tags: string[] }>>(
      api.paths,
    ))
      for (const [method, { operationId, tags }] of Object.entries(operations)) {
        const { sections } = topic(`/docs/api/${tags.at(-1)}`);
        const lines = sections.find(({ id }) => id === operationId)?.lines ?? [];
        expect(lines).toContain(`${method.toUpperCase()} ${path}`);
        expect([operationId, lines.some((line) => line.startsWith("curl "))]).toEqual([operationId, true]);
        expect([operationId, lines.some((line) => /^(Scope:|Any cred|Needs no)/.test(line))]).toEqual([
          operationId,
          true,
        ]);
        expect([operationId, lines.some((line) => line.startsWith("500 · "))]).toEqual([operationId, true]);
        count += 1;
      }
    expect(count).toBeGreaterThan(100);
  });

  test("every page of the navigation stands there with its key", () => {
    const { markdown } = topic("/docs/pages");
    for (const [, { nav }] of pageRows)
      if (nav) expect(markdown).toMatch(new RegExp(`\\| \`g ${nav.key}\` +\\| ${nav.word}\\b`));
  });

  test("every error code and every reason of a run is told of", () => {
    for (const code of Object.keys(ERROR_STATUS)) expect(ids("/docs/errors")).toContain(code);
    const reasons = sources().flatMap((source) =>
      [...source.matchAll(/new RunnerError\(\s*"(\w+)"/g)].map(([, reason]) => reason!),
    );
    expect(new Set(reasons).size).toBeGreaterThan(15);
    expect(reasons.filter((reason) => !(reason in RUN_REASONS))).toEqual([]);
  });

  test("an answer that is an error leads to what it means", async () => {
    const refused = await app.api("/v1/traces?limit=many");
    expect(refused.headers.get("link")).toBe('</docs/errors#invalid_request>; rel="help"');
    const page = await app.api("/r/nobody", { headers: { accept: "text/html" } });
    expect(await page.text()).toMatch(/<a href="\/docs\/(?:errors|share)#[\w-]+">/);
  });
});
