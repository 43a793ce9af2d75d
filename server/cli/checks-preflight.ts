import type { Command } from "commander";
import type { PreflightAnswer } from "../watch/preflights/model.ts";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, printable, say, sayJson } from "./output.ts";
import { withSession } from "./session.ts";

/** `checks preflight`: shows once that a scenario's target tells its visits from those of people, which every check needs. */
export function preflightCommand(checks: Command): void {
  const command = checks
    .command("preflight")
    .argument("<scenario>", "slug or id of a scenario")
    .description("run a scenario once, to record that its target knows synthetic users");
  example(withRecords(command), "tracedeck checks preflight checkout");
  command.action(async (scenario: string, options: CommonOptions) => {
    await withSession(options, async ({ client, serverUrl }) => {
      if (serverUrl === null)
        throw new CliError("No server runs on the data folder to make the run: start `tracedeck serve`.");
      const path = `/v1/scenarios/${encodeURIComponent(scenario)}/preflight`;
      const answer = await callJson<PreflightAnswer>(client, path, { method: "POST" });
      if (!answer.recorded) process.exitCode = 1;
      if (options.json) return sayJson(answer);
      const { recorded, reason, run_id } = answer;
      say(recorded ? "Recorded: the scenario may be watched." : `Not recorded. ${printable(reason ?? "")}`);
      say(new URL(`/runs/${run_id}`, serverUrl).href);
    });
  });
}
