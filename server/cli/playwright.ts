import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { writeFileAtomic } from "../platform/files.ts";
import { loadPlaywrightFiles } from "../run/playwright-build.ts";
import { type CommonOptions, example, withData } from "./options.ts";
import { printable, say, tone } from "./output.ts";
import { setUpConfig, setUpTests, tellServer } from "./playwright-init.ts";

/** `playwright init`: the files by which a Playwright project keeps its traces here. */
export function playwrightCommands(program: Command): void {
  const playwright = program
    .command("playwright")
    .description("keep the traces of @playwright/test: a reporter and a fixture");
  example(playwright, "tracedeck playwright init e2e");
  initCommand(playwright);
}

const HELP = `
The reporter tells of the test run as it goes on, every test with its outcome, and uploads the trace of every attempt, with
title, project, attempt, commit and pull request. It fails no run: what cannot be sent waits in .tracedeck-outbox beside the config, and goes with the next run
or by \`tracedeck ingest --outbox .tracedeck-outbox\`. The server and its key are TRACEDECK_URL and TRACEDECK_KEY, else the
one on this machine. Options, all optional:

  server, apiKey          address and key instead of the variables
  scenario                template of the slug (default: "{project}-{file}-{title}-{hash}")
  source, commit, pr      instead of what the CI or git says
  runId                   what the attempts of a run have in common (default: new for every run)
  name                    what the test run is called: tells several configs of one CI run apart
  onlyFailed              only attempts that did not end as expected, and those after them; what the
                          fixture recorded of the others stays, and is ended with its test
  outbox                  folder of what waits
  concurrency             uploads at the same time (default: 3)
  patienceSeconds         how long the end of the run waits for uploads (default: 15)

The fixture adds native capture to tests that use its \`test\`: live to the viewer while they run, with the replay of the page.
It takes the same options, isEnabled, redactHeaders and redactPatterns, as \`use: { tracedeck: { … } }\`.
`;

interface InitOptions extends CommonOptions {
  edit?: boolean;
  editTests?: boolean;
}

function initCommand(playwright: Command): void {
  const command = playwright
    .command("init")
    .argument("[dir]", "folder of the Playwright config", ".")
    .description("write the reporter and the fixture, and add the lines that use them or say which they are")
    .option("--edit", "add the reporter and traces to the Playwright config without asking")
    .option("--edit-tests", "add native capture to the one file that makes `test` for the others");
  example(withData(command), "tracedeck playwright init --edit", "npx playwright test");
  command.addHelpText("after", HELP);
  command.action(async (dir: string, options: InitOptions) => {
    await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(await loadPlaywrightFiles())) {
      writeFileAtomic(resolve(dir, name), text, { mode: 0o644 });
      say(`${tone("wrote", "good")} ${printable(join(dir, name))}`);
    }
    await setUpConfig(dir, options.edit === true);
    await setUpTests(dir, options.editTests === true);
    await tellServer(options);
  });
}
