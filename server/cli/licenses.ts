import type { Command } from "commander";
import { loadNotices } from "../notices/packaged.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { say, sayJson, table } from "./output.ts";

/** `licenses`: what of others is in this program, and its terms. */
export function licensesCommand(program: Command): void {
  const command = program
    .command("licenses")
    .description("third-party software in this program, with the text of every licence");
  example(withRecords(command), "tracedeck licenses | less", "tracedeck licenses --json");
  command.action(async ({ json }: CommonOptions) => {
    const notices = await loadNotices();
    if (json) return sayJson(notices);
    table(
      ["NAME", "VERSION", "LICENCE", "FROM"],
      notices.map(({ name, version, license, url }) => [name, version, license, url ?? ""]),
    );
    for (const { name, version, text } of notices) {
      say();
      say("=".repeat(80));
      say(`${name} ${version}`);
      say();
      say(text.trim());
    }
  });
}
