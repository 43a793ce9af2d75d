import { Command, CommanderError } from "commander";
import { version } from "../../package.json" with { type: "json" };
import { takeFaults } from "../platform/faults.ts";
import { outliveReaders } from "../platform/terminal.ts";
import { askCommand } from "./ask.ts";
import { auditCommands } from "./audit.ts";
import { backupCommands } from "./backup.ts";
import { explainCommand } from "./cause.ts";
import { checksCommands } from "./checks.ts";
import { cronCommands } from "./cron.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { describeError, explain, isMisuse } from "./explain.ts";
import { gateCommand } from "./gate.ts";
import { incidentsCommands } from "./incidents.ts";
import { ingestCommand } from "./ingest.ts";
import { identityCommands } from "./keys.ts";
import { licensesCommand } from "./licenses.ts";
import { mcpCommand } from "./mcp.ts";
import { membersCommands } from "./members.ts";
import { openCommand } from "./open.ts";
import { orgsCommands } from "./orgs.ts";
import { CliError, note, sayJson, tone } from "./output.ts";
import { playwrightCommands } from "./playwright.ts";
import { runCommand } from "./run.ts";
import { runWorkerCommand } from "./run-worker.ts";
import { scenariosCommands } from "./scenarios.ts";
import { secretsCommands } from "./secrets.ts";
import { serveCommand } from "./serve.ts";
import { syntheticCommands } from "./synthetic.ts";
import { tracesCommands } from "./traces.ts";

/** Exit codes: done, failed, used wrongly. */
const FAILED = 1;
const MISUSED = 2;

/** Runs a command line (without program name) and returns its exit code. */
export async function run(args: string[]): Promise<number> {
  outliveReaders((error) => {
    note(`${tone("error:", "bad")} The output could not be written: ${error.message}`);
    process.exit(FAILED);
  });
  const release = takeFaults((error) => {
    tellError(error, args);
    process.exit(FAILED);
  });
  try {
    const program = createProgram();
    await program.parseAsync(namesCommand(program, args) ? args : withoutHelp(args), { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    tellError(error, args);
    return isMisuse(error) ? MISUSED : FAILED;
  } finally {
    release();
  }
}

/** Whether the words before the options are a command, or none. Help for one that is not there would hide the mistake. */
function namesCommand(program: Command, args: string[]): boolean {
  let command = program;
  for (const word of args) {
    if (word.startsWith("-") || (command === program && word === "help")) continue;
    if (command.commands.length === 0) return true;
    const next = command.commands.find((one) => one.name() === word);
    if (!next) return false;
    command = next;
  }
  return true;
}

const withoutHelp = (args: string[]): string[] =>
  args.filter((word, at) => !["--help", "-h"].includes(word) && !(at === 0 && word === "help"));

function tellError(error: unknown, args: string[]): void {
  // Commander has already said what was wrong.
  if (!(error instanceof CommanderError)) note(`${tone("error:", "bad")} ${explain(error)}`);
  if (error instanceof CliError && error.help) note(`More: ${error.help}`);
  // Programs read standard output, and what they are to find there is always JSON.
  if (args.includes("--json")) sayJson(describeError(error));
}

/** Every command, its options and its help. */
export function createProgram(): Command {
  const program = new Command("tracedeck")
    .description("Keep, open, search and share the recordings of automated browser runs.")
    .version(version)
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();
  serveCommand(program);
  demoCommand(program);
  openCommand(program);
  ingestCommand(program);
  gateCommand(program);
  tracesCommands(program);
  explainCommand(program);
  askCommand(program);
  scenariosCommands(program);
  runCommand(program);
  checksCommands(program);
  cronCommands(program);
  playwrightCommands(program);
  runWorkerCommand(program);
  syntheticCommands(program);
  mcpCommand(program);
  identityCommands(program);
  secretsCommands(program);
  incidentsCommands(program);
  auditCommands(program);
  orgsCommands(program);
  membersCommands(program);
  doctorCommand(program);
  backupCommands(program);
  licensesCommand(program);
  for (const command of descendants(program)) command.exitOverride().copyInheritedSettings(program);
  return program;
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}
