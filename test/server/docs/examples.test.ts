import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../../server/cli/program.ts";
import { compileScenario } from "../../../server/run/language/compile.ts";
import { parseSettings } from "../../../store/settings.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { commandLines, docsOf, type Example, examplesOf, ROOT, wordsOf } from "../../helpers/docs.ts";
import { recordPreflight } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

let app: TestApp;
let examples: Example[];
let paths: Record<string, Record<string, object>>;

beforeAll(async () => {
  app = await testApp();
  examples = (await docsOf(app).all()).flatMap(({ path, markdown }) => examplesOf(path, markdown));
  examples.push(...examplesOf("README.md", readFileSync(join(ROOT, "README.md"), "utf8")));
  paths = ((await (await app.api("/openapi.json")).json()) as { paths: typeof paths }).paths;
});
afterAll(() => app.close());

const lines = (program: string) =>
  examples
    .filter(({ language }) => /^(?:sh)?$/.test(language))
    .flatMap((example) => commandLines(example).map((line) => ({ path: example.path, line })))
    .filter(({ line }) => line.startsWith(`${program} `));

describe("examples of the documentation", () => {
  test("call commands that exist, with options and as many arguments as these have", () => {
    const all = lines("tracedeck");
    expect(all.length).toBeGreaterThan(60);
    const wrong = all.flatMap(({ path, line }) => {
      const problem = misuse(createProgram(), wordsOf(line).slice(1));
      return problem === null ? [] : [`${path}: ${line}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  test("ask for operations that the server has", () => {
    const all = lines("curl");
    expect(all.length).toBeGreaterThan(100);
    const wrong = all.filter(({ line }) => !isOperation(line));
    expect(wrong).toEqual([]);
  });

  test("send bodies that the operations take", async () => {
    const refused: string[] = [];
    const all = lines("curl").filter((one) => one.path.startsWith("/docs/api/"));
    // A scenario runs when its file is known.
    const isFirst = ({ line }: { line: string }) => line.includes("/v1/scenarios/sync");
    for (const { path, line } of [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))]) {
      const { method, url, values } = requestOf(line);
      const body = values["-d"]?.[0];
      if (body === undefined) continue;
      expect(() => JSON.parse(body)).not.toThrow();
      const answer = await app.api(
        url.replace("$NAME", "SHOP_PASSWORD").replaceAll(/\$\w+/g, "0192f0c1-0000-7000-8000-000000000000"),
        {
          method,
          body,
          headers: { "content-type": "application/json" },
        },
      );
      const { status } = answer;
      // A scenario is watched when its preflight is recorded.
      if (line.includes("/v1/scenarios/sync")) {
        const { id } = (await (await app.api("/v1/scenarios/checkout")).json()) as { id: string };
        await recordPreflight(app, id);
      }
      if ([400, 415, 422].includes(status)) refused.push(`${path}: ${line}: ${await answer.text()}`);
    }
    expect(refused).toEqual([]);
  });

  test("are scenarios that can be run", () => {
    const scenarios = examples.filter(({ language }) => language === "scenario");
    expect(scenarios.length).toBeGreaterThan(1);
    for (const { path, text } of scenarios)
      expect([path, compileScenario({ name: "page.scenario.md", text }, () => null).problems]).toEqual([
        path,
        [],
      ]);
  });

  test("are settings that the program takes", () => {
    const settings = examples.filter(({ language }) => language === "json settings");
    expect(settings.length).toBeGreaterThan(0);
    for (const { text, path } of settings) expect(() => parseSettings(text, path)).not.toThrow();
  });
});

/** Why a command line would be refused; null when it would not. */
function misuse(program: Command, words: readonly string[]): string | null {
  let command = program;
  const rest = words.map((word) => word.replace(/^\$\w*URL$/, "https://shop.example"));
  for (let next = byName(command, rest[0]); next; next = byName(command, rest[0])) {
    command = next;
    rest.shift();
  }
  if (command === program) return "no such command";
  if (command.commands.length > 0) return "which one?";
  const { operands, unknown } = parsed(command, rest);
  if (unknown.length > 0) return `unknown: ${unknown.join(" ")}`;
  const known = command.registeredArguments;
  const needed = known.filter(({ required }) => required).length;
  if (operands.length < needed) return "too few arguments";
  return operands.length > known.length && !known.at(-1)?.variadic ? "too many arguments" : null;
}

function parsed(command: Command, words: string[]): { operands: string[]; unknown: string[] } {
  try {
    return command.parseOptions(words);
  } catch (error) {
    return { operands: words, unknown: [(error as Error).message] };
  }
}

const byName = (command: Command, name?: string) => command.commands.find((one) => one.name() === name);

interface Asked {
  method: string;
  /** From the path on. */
  url: string;
  values: Record<string, string[]>;
}

function requestOf(line: string): Asked {
  const values: Record<string, string[]> = {};
  let address = "";
  const words = wordsOf(line).slice(1);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-")) address = word;
    else {
      at += 1;
      values[word] = [...(values[word] ?? []), words[at] ?? ""];
    }
  }
  const isSent = values["-d"] ?? values["-F"] ?? values["--data-binary"];
  const method = values["-X"]?.[0] ?? (isSent ? "POST" : "GET");
  return { method, url: address.replace(/^(?:\$TRACEDECK_URL|https?:\/\/[^/]+)/, ""), values };
}

function isOperation(line: string): boolean {
  const { method, url } = requestOf(line);
  const asked = url.split("?")[0]!.split("/");
  return Object.entries(paths).some(([path, operations]) => {
    const known = path.split("/");
    return (
      method.toLowerCase() in operations &&
      known.length === asked.length &&
      known.every((part, at) => part === asked[at] || (part.includes("{") && asked[at]!.includes("$")))
    );
  });
}
