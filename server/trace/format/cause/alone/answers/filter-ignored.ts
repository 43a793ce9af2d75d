import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { quoted, requestOf } from "../../words.ts";

const MOST = 40;
const FEWEST = 2;
const WORD = /^\p{L}[\p{L}\p{N}_-]{1,40}$/u;

/** A list whose things have another value under the very name by which the request asks for one: `?state=open` and a thing that is closed. */
export function detectFilterIgnored(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run));
  for (const one of answers.toReversed()) {
    const asked = askedFor(one, run).filter(([, value]) => WORD.test(value));
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
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} asked for ${quoted(value, 40)} for ${quoted(name, 40)}, and ${others.length} of the ${said.length} things that it was answered with are others (${quoted(others[0]!, 40)}): the filter was ignored`,
            0.86,
          ),
          isAgainstItself: true,
        },
      ];
    }
  }
  return [];
}

/** The same where the things have such a value under another name only: the server may know no such filter. */
export function detectFilterByOtherName(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run));
  for (const one of answers.toReversed()) {
    const asked = askedFor(one, run).filter(
      ([name, value]) => WORD.test(value) && !ASKS_OTHERWISE.test(name),
    );
    const things = asked.length === 0 ? [] : thingsOf(one, run.bodies).slice(0, MOST_THINGS);
    const names = Object.keys(things[0] ?? {});
    for (const [name, value] of asked) {
      if (names.some((key) => key.toLowerCase() === name.toLowerCase())) continue;
      const kinds = names.flatMap((key) => kindsOf(things, key, value.toLowerCase()) ?? []);
      const [kind] = kinds;
      if (!kind || kinds.length > 1) continue;
      return [
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} asked for ${quoted(value, 40)} for ${quoted(name, 40)}, and ${kind.others.length} of the ${things.length} things that it was answered with have another ${quoted(kind.key, 40)} (${quoted(kind.others[0]!, 40)}): the filter was ignored, or goes by the name ${quoted(kind.key, 40)}`,
            0.86,
          ),
          isAgainstItself: true,
        },
      ];
    }
  }
  return [];
}

/** What a list is in order of, which part of it is shown, and what is searched for. */
const ASKS_OTHERWISE =
  /sort|order|by$|^(?:q|s|tab|view|mode|lang|locale|include|expand|fields?|with|format|from|ref|source|utm_\w+)$|search|query|filter|term|find|text/i;
const MOST_THINGS = 200;
/** More are no kinds of a thing. */
const MOST_KINDS = 6;

/** Of a name under which things are of few kinds, that one among them: the kinds of the others. */
function kindsOf(
  things: readonly Record<string, unknown>[],
  key: string,
  value: string,
): { key: string; others: string[] } | null {
  const said = things.map((thing) => (typeof thing[key] === "string" ? thing[key].toLowerCase() : null));
  const kinds = new Set(said);
  const others = said.filter((is) => is !== null && is !== value);
  const areKinds = kinds.size > 1 && kinds.size <= MOST_KINDS && kinds.size < things.length;
  if (!areKinds || kinds.has(null) || !kinds.has(value) || others.some((is) => is!.includes(value)))
    return null;
  return { key, others: others as string[] };
}

/** A value as a query would name it: an object by its own name or slug; null where that is not known. */
function plainOf(value: unknown): string | null {
  if (typeof value === "string") return value.toLowerCase();
  const named = isRecord(value) ? (value.slug ?? value.key ?? value.name) : null;
  return typeof named === "string" ? named.toLowerCase() : null;
}
