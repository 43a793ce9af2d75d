import { closestElement } from "../../detectors/elements/missing.ts";
import { isRecord } from "../../differences.ts";
import { jsonOf, leavesOf } from "../../json-leaves.ts";
import type { Exchange } from "../../run-facts.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, bodyOf, NOTHING, pathOf, quoted, requestOf } from "../../words.ts";

const MOST_FIELDS = 10;
const MAX_DEPTH = 3;

/** What the page wrote without a value, with the fields that the answer right before it has: one of them may go by another name. */
export function detectNoValue(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = shownBy(evidence);
  if (!NOTHING.test(got) || NOTHING.test(want)) return [];
  const last = answersBefore(evidence, 1, ({ type }) => /^(?:xhr|fetch)$/.test(type ?? ""))[0];
  const fields = last ? fieldsOf(jsonOf(bodyOf(last, run.bodies) ?? "")) : [];
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const unread = /\bNaN\b/.test(got) ? unreadNumber(evidence) : null;
  const told = unread?.words ?? (last && fields.length > 0 ? answerWith(last, fields, evidence) : null);
  const source = unread?.one ?? last;
  return [
    {
      kind: "page_changed",
      title: `The page had no value for what it shows: ${quoted(got, 60)}, where the test wants ${quoted(want, 60)}${told === null ? "" : `; ${told}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: source ? [seq, source.seq] : [seq],
      ts: failed.from,
      is_new: null,
      weight: 0.84,
    },
  ];
}

const MOST_ANSWERS = 20;
/** A number as people write it where the comma is the decimal sign. */
const WITH_COMMA = /^[+-]?(?:\d{1,3}(?:[. \u00a0\u202f]\d{3})+|\d+),\d{1,4}$/;

/** What of an answer scripts read as no number: one with a decimal comma, or the lines of a table that is not separated by commas. */
function unreadNumber(evidence: Evidence): { one: Exchange; words: string } | null {
  const { run } = evidence;
  for (const one of answersBefore(evidence, MOST_ANSWERS).toReversed()) {
    const body = bodyOf(one, run.bodies) ?? "";
    const leaf = leavesOf(jsonOf(body)).find(
      ({ value }) => typeof value === "string" && WITH_COMMA.test(value),
    );
    if (leaf)
      return {
        one,
        words: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 40)} for ${quoted(leaf.path, 60)}, which scripts read as no number`,
      };
    const separator = /csv/.test(`${one.mediaType} ${pathOf(one.url)}`) ? separatorOf(body) : null;
    if (separator !== null)
      return {
        one,
        words: `${requestOf(one, run.facts)} has ${quoted(separator, 5)} between the values of its lines`,
      };
  }
  return null;
}

/** What stands between the values of a table's lines, below its heading, where that is no comma. */
function separatorOf(body: string): string | null {
  const [, line = ""] = body.split("\n", 2);
  return [";", "\t", "|"].find((one) => line.includes(one) && !line.includes(",")) ?? null;
}

const answerWith = (last: Exchange, fields: readonly string[], { run }: Evidence): string =>
  `the last answer, to ${requestOf(last, run.facts)}, has the fields ${fields.slice(0, MOST_FIELDS).join(", ")}${fields.length > MOST_FIELDS ? ", …" : ""}`;

/** What the test wants and what stands there. */
function shownBy(evidence: Evidence): [string, string] {
  const { expected, received } = evidence.failed;
  if (expected !== null && received !== null) return [bareOf(expected), bareOf(received)];
  const closest = closestElement(evidence);
  return closest === null ? ["", ""] : [closest.wanted, closest.element.own || closest.element.name];
}

/** The names of the things of the first list in a value; else its own. */
function fieldsOf(value: unknown, depth = 0): string[] {
  if (Array.isArray(value)) return isRecord(value[0]) ? Object.keys(value[0]) : [];
  if (!isRecord(value) || depth > MAX_DEPTH) return [];
  const within = Object.values(value)
    .map((inner) => fieldsOf(inner, depth + 1))
    .find((fields) => fields.length > 0);
  return within ?? Object.keys(value);
}
