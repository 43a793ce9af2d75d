import { isBefore } from "../../compare.ts";
import { nullReadBy } from "../../exchanges/null-read.ts";
import { isConsole } from "../../run/keys.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, quoted, requestOf } from "../../words.ts";

/** The one value that an answer has nothing for, right before a script read something of nothing. */
export function detectReadOfNothing(evidence: Evidence): Finding[] {
  const { run } = evidence;
  for (const line of run.facts.lines) {
    if (!isConsole(line) || !isBefore(evidence, line.ts)) continue;
    const found = nullReadBy(evidence, line);
    if (!found) continue;
    const { said, one, path } = found;
    return [
      {
        kind: "answer_changed",
        isNothing: true,
        title: `${requestOf(one, run.facts)} answered ${quoted("null", 10)} for ${quoted(path, 80)}; then the page threw ${said}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq, line.seq],
        ts: line.ts,
        is_new: null,
        weight: 0.94,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  }
  return [];
}
