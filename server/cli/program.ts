import { Command, CommanderError } from "commander";
import { version } from "../../package.json" with { type: "json" };
import { backupCommands } from "./backup.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { describeError, explain, isMisuse } from "./explain.ts";
import { ingestCommand } from "./ingest.ts";
import { identityCommands } from "./keys.ts";
import { openCommand } from "./open.ts";
import { note, sayJson, tone } from "./output.ts";
import { playwrightCommands } from "./playwright.ts";
import { runCommand } from "./run.ts";
import { runWorkerCommand } from "./run-worker.ts";
import { scenariosCommands } from "./scenarios.ts";
import { serveCommand } from "./serve.ts";
import { syntheticCommands } from "./synthetic.ts";
import { tracesCommands } from "./traces.ts";

/** Exit codes: done, failed, used wrongly. */
const FAILED = 1;
const MISUSED = 2;

/** Runs a command line (without program name) and returns its exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has already said what was wrong, or shown the help or version that was asked for.
    if (!(error instanceof CommanderError)) note(`${tone("error:", "bad")} ${explain(error)}`);
    else if (error.exitCode === 0) return 0;
    // Programs read standard output, and what they are to find there is always JSON.
    if (args.includes("--json")) sayJson(describeError(error));
    return isMisuse(error) ? MISUSED : FAILED;
  }
}

function createProgram(): Command {
  const program = new Command("tracedeck")
    .description("Keep, open, search and share the recordings of automated browser runs.")
    .version(version)
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();
  serveCommand(program);
  demoCommand(program);
  openCommand(program);
  ingestCommand(program);
  tracesCommands(program);
  scenariosCommands(program);
  runCommand(program);
  playwrightCommands(program);
  runWorkerCommand(program);
  syntheticCommands(program);
  identityCommands(program);
  doctorCommand(program);
  backupCommands(program);
  for (const command of descendants(program)) command.exitOverride().copyInheritedSettings(program);
  return program;
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}
