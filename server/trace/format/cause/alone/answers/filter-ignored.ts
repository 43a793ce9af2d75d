import { answerFinding } from "../../answer-finding.ts";
import { isRecord } from "../../differences.ts";
import { answersBefore } from "../../select.ts";
import { queryOf } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";
import { thingsOf } from "./things.ts";

const MOST = 40;
const FEWEST = 2;
const WORD = /^\p{L}[\p{L}\p{N}_-]{1,40}$/u;

/** A list whose things have another value under the very name by which the request asks for one: `?state=open` and a thing that is closed. */
export function detectFilterIgnored(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const answers = answersBefore(evidence, MOST, ({ method }) => method === "GET");
  for (const one of answers.toReversed()) {
    const asked = queryOf(one).filter(([, value]) => WORD.test(value));
    const things = asked.length === 0 ? [] : thingsOf(one, run.bodies);
    const names = Object.keys(things[0] ?? {});
    for (const [name, value] of asked) {
      // A column of a table is headed as a person reads it.
      const key = names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
      const said = things.map((thing) => plainOf(thing[key]));
      const others = said.filter((is) => is !== null && is !== value.toLowerCase());
      // What no thing is at all goes by other words there.
      if (said.length < FEWEST || said.includes(null) || !said.includes(value.toLowerCase())) continue;
      if (others.length === 0) continue;
      return [
        answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} asked for ${quoted(value, 40)} for ${quoted(name, 40)}, and ${others.length} of the ${said.length} things that it was answered with are others (${quoted(others[0]!, 40)}): the filter was ignored`,
          0.86,
        ),
      ];
    }
  }
  return [];
}

/** A value as a query would name it: an object by its own name or slug; null where that is not known. */
function plainOf(value: unknown): string | null {
  if (typeof value === "string") return value.toLowerCase();
  const named = isRecord(value) ? (value.slug ?? value.key ?? value.name) : null;
  return typeof named === "string" ? named.toLowerCase() : null;
}
