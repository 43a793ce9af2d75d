import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Command } from "commander";
import type { Compiled } from "../run/language/compile.ts";
import { formatProblem } from "../run/language/problem.ts";
import { compileFile, readFolder, SCENARIO_SUFFIX } from "../run/scenarios/files.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, note, printable, say, sayJson, tone } from "./output.ts";
import { withSession } from "./session.ts";

/** `scenarios check|sync`: what keeps files from being run; and taking them in. */
export function scenariosCommands(program: Command): void {
  const scenarios = program.command("scenarios").description("check scenario files, and load them");
  example(scenarios, "tracedeck scenarios check scenarios/*.scenario.md");
  checkCommand(scenarios);
  syncCommand(scenarios);
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
    const files = (await readFolder(dir)).map(({ name, text }) => ({ path: pathWithin(dir, name), text }));
    if (files.length === 0) throw new CliError(`${dir} holds no *${SCENARIO_SUFFIX} file.`);
    await withSession(options, async ({ client }) => {
      const answer = await callJson<Synced>(client, "/v1/scenarios/sync", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ files }),
      });
      if (options.json) return sayJson(answer);
      for (const [what, slugs] of Object.entries(answer))
        if (slugs.length > 0) say(`${what.padEnd(10)} ${slugs.map(printable).join(", ")}`);
    });
  });
}

type Synced = Record<"created" | "updated" | "unchanged" | "missing", string[]>;

const pathWithin = (dir: string, path: string): string => relative(dir, path).split(sep).join("/");

function checkCommand(scenarios: Command): void {
  const command = scenarios
    .command("check")
    .argument("<files...>", `scenario files (*${SCENARIO_SUFFIX})`)
    .description("parse scenario files; every problem with file, line and column")
    .option("--json", "print the compiled scenarios and the problems as JSON");
  example(command, "tracedeck scenarios check scenarios/checkout.scenario.md");
  command.action(async (files: string[], { json }: { json?: boolean }) => {
    const results: (Compiled & { file: string })[] = [];
    for (const file of files) results.push({ file, ...(await compileOne(file)) });
    const wrong = results.filter(({ problems }) => problems.length > 0);
    if (wrong.length > 0) process.exitCode = 1;
    if (json) return sayJson(results.length === 1 ? results[0] : results);
    for (const { file, scenario, problems } of results) {
      for (const problem of problems) note(printable(formatProblem(problem)));
      if (scenario)
        say(`${tone("ok", "good")}  ${printable(file)}  ${scenario.slug}, ${steps(scenario.steps.length)}`);
    }
  });
}

const steps = (count: number): string => (count === 1 ? "1 step" : `${count} steps`);

/** Compiles a file that a person named. @throws CliError */
export async function compileOne(file: string): Promise<Compiled> {
  const found = await stat(file).catch(() => null);
  if (!found) throw new CliError(`There is no file ${file}.`);
  if (!found.isFile()) throw new CliError(`${file} is not a file.`);
  return compileFile(file);
}
