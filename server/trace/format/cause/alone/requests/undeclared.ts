import { requestText } from "../../exchanges/sent.ts";
import { isOneForAll } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { aboutUrl, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 60;
const LONGEST = 4_000;
const OPERATION = /^\s*(?:query|mutation|subscription)\b[^({]*\(([^{]*)\)[^{()]*\{/;

/** A request of GraphQL with a value under a name that its query does not declare, and without the one that it does. */
export function detectUndeclared(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return answersBefore(evidence, MOST, (one) => isOneForAll(one) && !isBeside(one)).flatMap((one) => {
    const words = undeclaredIn(one, run);
    return words === null
      ? []
      : [
          {
            kind: "answer_changed" as const,
            title: `${requestOf(one, run.facts)} was sent with ${words}`,
            detail: null,
            step_id: one.step_id,
            events: [one.requestSeq ?? one.seq, one.seq],
            ts: one.ts,
            is_new: null,
            weight: 0.5,
            about: aboutUrl(one.url, run.facts, one.operation),
          },
        ];
  });
}

/** `the variable “cursor”, which its query does not declare, and without “after”, which it does`; null where the two agree. */
export function undeclaredIn(one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): string | null {
  const sent = jsonOf(requestText(one, bodies));
  if (!isRecord(sent) || typeof sent.query !== "string" || !isRecord(sent.variables)) return null;
  const declared = [
    ...(OPERATION.exec(sent.query.slice(0, LONGEST))?.[1] ?? "").matchAll(/\$(\w+)\s*:/g),
  ].map(([, name]) => name!);
  const given = Object.entries(sent.variables).flatMap(([name, value]) => (value === null ? [] : [name]));
  const [extra, ...others] = given.filter((name) => !declared.includes(name));
  const [lacking, ...more] = declared.filter((name) => !Object.hasOwn(sent.variables as object, name));
  // Clients give several queries the same variables, each with more than it needs.
  return extra === undefined || lacking === undefined || others.length + more.length > 0
    ? null
    : `the variable ${quoted(extra, 40)}, which its query does not declare, and without ${quoted(lacking, 40)}, which it does`;
}
