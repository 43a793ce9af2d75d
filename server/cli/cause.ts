import type { Command } from "commander";
import { callJson } from "./call.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { note, printable, say, sayJson, tone } from "./output.ts";
import { withSession } from "./session.ts";

interface Cause {
  failed_step: { step_id: string; title: string } | null;
  headline: string | null;
  suspects: {
    rank: number;
    title: string;
    detail: string | null;
    confidence: number;
    is_new: boolean | null;
  }[];
  also_when_passing: { title: string; count: number }[];
}

/** `explain <id>`: why a trace failed, as the viewer's first screen tells it. */
export function explainCommand(program: Command): void {
  const command = program
    .command("explain")
    .argument("<id>", "trace id, short id or link")
    .description("why a trace failed: its suspects, best first");
  example(withRecords(command), "tracedeck explain 7Kd2mQx9PbTz");
  command.action(async (id: string, options: CommonOptions) => {
    await withSession(options, async (session) => {
      const cause = await callJson<Cause>(session.client, `/v1/traces/${await session.traceId(id)}/cause`);
      if (options.json) return sayJson(cause);
      print(cause);
    });
  });
}

function print({ headline, failed_step: step, suspects, also_when_passing: also }: Cause) {
  if (headline === null) return note("It did not fail, or has not ended.");
  say(tone(printable(headline), "bad"));
  if (step) say(tone(`at ${printable(step.title)}`, "weak"));
  for (const { rank, title, detail, confidence, is_new: isNew } of suspects) {
    const novelty = isNew ? ", new" : "";
    say(
      `${String(rank).padStart(2)}. ${printable(title)} ${tone(`(${Math.round(confidence * 100)} %${novelty})`, "weak")}`,
    );
    if (detail && rank <= 3) say(tone(`    ${printable(detail.split("\n", 1)[0] ?? "")}`, "weak"));
  }
  if (also.length > 0) say(tone("Also there when it passes:", "weak"));
  for (const { title, count } of also)
    say(tone(`  - ${printable(title)}${count > 1 ? ` (${count} times)` : ""}`, "weak"));
}
