import { isBefore } from "../../compare.ts";
import { jsonOf, leavesOf } from "../../json-leaves.ts";
import { isConsole } from "../../keys.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
/** A script reads an answer as soon as it has it. */
const READ_WITHIN_MS = 1_000;
/** Recorders note an error this long before the answer that led to it. */
const AT_ONCE_MS = 300;
const NULL_READ =
  /(TypeError: (?:Cannot read properties of null \(reading '(\w+)'\)|null is not an object[^\n]*?\.(\w+)|(?:\S+ is null)))/;
/** What scripts want of elements of a page that are not there. */
const OF_ELEMENTS =
  /^(?:addEventListener|removeEventListener|appendChild|append|remove|classList|style|value|textContent|inner\w+|outerHTML|dataset|focus|click|submit|checked|querySelector\w*|getAttribute|setAttribute|getContext|getBoundingClientRect|parent\w+|children|disabled|hidden|scroll\w*|content\w+|showModal|close)$/;

/** The one value that an answer has nothing for, right before a script read something of nothing. */
export function detectReadOfNothing(evidence: Evidence): Finding[] {
  const { run } = evidence;
  for (const line of run.facts.lines) {
    const [, said, name, other] = NULL_READ.exec(line.text) ?? [];
    if (said === undefined || !isConsole(line) || line.level !== "error" || !isBefore(evidence, line.ts))
      continue;
    if (OF_ELEMENTS.test(name ?? other ?? "")) continue;
    const read = answersBefore(evidence, MOST).filter((one) => {
      const lapse = line.ts - (one.end ?? one.ts);
      return lapse >= -AT_ONCE_MS && lapse <= READ_WITHIN_MS;
    });
    const nothing = read.flatMap((one) =>
      leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(({ path, value }) =>
        value === null ? [{ one, path }] : [],
      ),
    );
    const [only, ...others] = nothing;
    if (!only || others.length > 0) continue;
    return [
      {
        kind: "answer_changed",
        isNothing: true,
        title: `${requestOf(only.one, run.facts)} answered ${quoted("null", 10)} for ${quoted(only.path, 80)}; then the page threw ${said}`,
        detail: null,
        step_id: only.one.step_id,
        events: [only.one.seq, line.seq],
        ts: line.ts,
        is_new: null,
        weight: 0.94,
        about: aboutUrl(only.one.url, run.facts, only.one.operation),
      },
    ];
  }
  return [];
}
