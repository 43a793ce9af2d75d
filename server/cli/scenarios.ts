import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { dataFolder } from "../../store/data-folder.ts";
import { loadSettings } from "../../store/settings.ts";
import { resolveDataDir } from "../config.ts";
import { writeFileAtomic } from "../platform/files.ts";
import { type Compiled, compileScenario, type ScenarioFile } from "../run/language/compile.ts";
import { indexBySlug } from "../run/language/folder.ts";
import { Frontmatter } from "../run/language/frontmatter-schema.ts";
import { secretsInTheOpen } from "../run/language/literals.ts";
import { doubleSlug, formatProblem, type Problem } from "../run/language/problem.ts";
import { starterScenario } from "../run/language/starter.ts";
import { scheduleRules } from "../run/regions.ts";
import { compileFile, readFolder, SCENARIO_SUFFIX } from "../run/scenarios/files.ts";
import { readRecordings } from "../run/scenarios/recordings.ts";
import { counted } from "../trace/format/words.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withData, withRecords } from "./options.ts";
import { CliError, note, printable, say, sayJson, tone } from "./output.ts";
import { withSession } from "./session.ts";

/** `scenarios new|check|sync`: a first file; what keeps files from being run; and taking them in. */
export function scenariosCommands(program: Command): void {
  const scenarios = program
    .command("scenarios")
    .description("write a first scenario file, check them, and load them");
  example(scenarios, "tracedeck scenarios check scenarios/*.scenario.md");
  newCommand(scenarios);
  checkCommand(scenarios);
  syncCommand(scenarios);
  schemaCommand(scenarios);
}

function newCommand(scenarios: Command): void {
  const command = scenarios
    .command("new")
    .argument("<url>", "address of the page")
    .description("write a first scenario: it opens a page, and sees that it shows a text")
    .requiredOption("--text <text>", "what a visitor must see there")
    .option("--out <dir>", "folder to write into", "scenarios");
  example(
    withData(command),
    'tracedeck scenarios new https://shop.example/ --text "Add to cart"',
    "tracedeck run scenarios/shop-example.scenario.md",
  );
  command.action(async (url: string, { text, out }: { text: string; out: string }) => {
    const { file, problem } = starterScenario(url, text);
    if (!file) throw new CliError(problem);
    const path = join(out, file.name);
    if (existsSync(path)) throw new CliError(`${path} is there already: change it, or name another --out.`);
    await mkdir(out, { recursive: true });
    writeFileAtomic(resolve(path), file.text, { mode: 0o644 });
    say(`${tone("wrote", "good")} ${printable(path)}`);
  });
}

function schemaCommand(scenarios: Command): void {
  const command = scenarios
    .command("schema")
    .description("print the JSON Schema of the frontmatter, for editors");
  example(withData(command), "tracedeck scenarios schema > scenario.schema.json");
  command.action(() => sayJson(Frontmatter));
}

function syncCommand(scenarios: Command): void {
  const command = scenarios
    .command("sync")
    .argument("<dir>", "folder with scenario files, subfolders included")
    .description("load the scenarios of a folder, so that they can be run by API and on a schedule");
  example(withRecords(command), "tracedeck scenarios sync scenarios/");
  command.action(async (dir: string, options: CommonOptions) => {
    const found = await stat(dir).catch(() => null);
    if (!found?.isDirectory()) throw new CliError(`There is no folder ${dir}.`);
    const scenarioFiles = await readFolder(dir, (link) =>
      note(`${printable(link)} is a link, and is left out: links may lead out of the folder.`),
    );
    const files = scenarioFiles.map(({ name, text }) => ({ path: pathWithin(dir, name), text }));
    if (files.length === 0) throw new CliError(`${dir} holds no *${SCENARIO_SUFFIX} file.`);
    const recordings = await recordingsBeside(dir, scenarioFiles);
    await withSession(options, async ({ client }) => {
      const answer = await callJson<Synced>(client, "/v1/scenarios/sync", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ files, recordings }),
      });
      if (options.json) return sayJson(answer);
      for (const [what, slugs] of Object.entries(answer))
        if (slugs.length > 0) say(`${what.padEnd(10)} ${slugs.map(printable).join(", ")}`);
    });
  });
}

type Synced = Record<"created" | "updated" | "unchanged" | "missing", string[]>;

/** The HARs that the scenarios' clones answer from. @throws CliError for one that cannot be read */
async function recordingsBeside(
  dir: string,
  files: ScenarioFile[],
): Promise<{ path: string; text: string }[]> {
  const find = indexBySlug(files);
  const recordings = new Map<string, string>();
  for (const file of files) {
    // What does not compile is told by the server, with all that is wrong.
    const { scenario } = compileScenario(file, find);
    if (!scenario) continue;
    const folder = dirname(file.name);
    const found = await readRecordings(scenario, folder).catch((error: Error) => {
      throw new CliError(`${file.name}: ${error.message}`);
    });
    for (const [name, text] of Object.entries(found))
      recordings.set(pathWithin(dir, join(folder, name)), text);
  }
  return [...recordings].map(([path, text]) => ({ path, text }));
}

const pathWithin = (dir: string, path: string): string => relative(dir, path).split(sep).join("/");

function checkCommand(scenarios: Command): void {
  const command = scenarios
    .command("check")
    .argument("<files...>", `scenario files (*${SCENARIO_SUFFIX})`)
    .description("parse scenario files; every problem with file, line and column")
    .option("--json", "print the compiled scenarios and the problems as JSON");
  example(withData(command), "tracedeck scenarios check scenarios/checkout.scenario.md");
  command.action(async (files: string[], { json, data }: { json?: boolean; data?: string }) => {
    const rules = scheduleRules(loadSettings(dataFolder(resolveDataDir({ data })).settings));
    const results: (Compiled & { file: string; warnings: Problem[] })[] = [];
    for (const file of files) {
      const compiled = await compileFile(file, rules);
      const warnings = compiled.scenario ? secretsInTheOpen(compiled.scenario) : [];
      results.push({ file, ...compiled, warnings });
    }
    refuseDoubles(results);
    const wrong = results.filter(({ problems }) => problems.length > 0);
    if (wrong.length > 0) process.exitCode = 1;
    if (json) return sayJson(results.length === 1 ? results[0] : results);
    for (const { file, scenario, problems, warnings } of results) {
      for (const problem of problems) note(printable(formatProblem(problem)));
      for (const warning of warnings)
        note(printable(formatProblem({ ...warning, message: `warning: ${warning.message}` })));
      if (scenario)
        say(
          `${tone("ok", "good")}  ${printable(file)}  ${scenario.slug}, ${counted(scenario.steps.length, "step")}`,
        );
    }
  });
}

/** One slug is one scenario: `sync` would refuse a folder with two of them. */
function refuseDoubles(results: (Compiled & { file: string })[]): void {
  const first = new Map<string, string>();
  for (const result of results) {
    if (!result.scenario) continue;
    const { slug } = result.scenario;
    const other = first.get(slug);
    if (other === undefined) first.set(slug, result.file);
    else if (resolve(other) !== resolve(result.file))
      Object.assign(result, { scenario: null, problems: [doubleSlug(result.file, slug, other)] });
  }
}
