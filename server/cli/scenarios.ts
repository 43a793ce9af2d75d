import { stat } from "node:fs/promises";
import type { Command } from "commander";
import type { Compiled } from "../run/language/compile.ts";
import { formatProblem } from "../run/language/problem.ts";
import { compileFile, SCENARIO_SUFFIX } from "../run/scenarios/files.ts";
import { example } from "./options.ts";
import { CliError, note, printable, say, sayJson, tone } from "./output.ts";

/** `scenarios check`: what runs would do, or what keeps a file from being run. */
export function scenariosCommands(program: Command): void {
  const scenarios = program.command("scenarios").description("check scenario files");
  example(scenarios, "tracedeck scenarios check scenarios/*.scenario.md");
  checkCommand(scenarios);
}

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
