import { answerFinding } from "../../exchanges/answer-finding.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** What scripts and their libraries write for a date that is none. */
const INVALID = /\binvalid (?:date|time|datetime)\b/i;
/** Names of moments: `dueAt`, `created_on`, `startDate`, `expires`. */
const OF_MOMENT = /(?:[a-z]At|[a-z]On|_at|_on|[dD]ate|[tT]ime(?:stamp)?|expires|[dD]ue|[uU]ntil|[sS]ince)$/;

/** A page that shows that a date is none, and the one answer before whose moment no script reads: a number of seconds as a text, a date in another form. */
export function detectNoDate(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const shown = INVALID.exec(bareOf(failed.received ?? ""))?.[0];
  if (shown === undefined || INVALID.test(failed.expected ?? "")) return [];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const leaves = momentsIn(one, run);
    const bad = leaves.filter(isUnread);
    const [leaf] = bad;
    // Of several no one is known to be the one that is shown.
    if (!leaf || new Set(bad.map(({ path }) => path.replace(/\d+/g, "0"))).size > 1) continue;
    const usual = passes.map((pass) => usualOf(pass, exchangeKey(one, run.facts), leaf.path));
    if (usual.some((value) => value === undefined || isUnread({ path: leaf.path, value }))) continue;
    const before = usual[0] === undefined ? "" : `, where the last pass had ${quoted(String(usual[0]), 40)}`;
    return [
      {
        ...answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 40)} for ${quoted(leaf.path, 60)}${before}: ${formOf(String(leaf.value))} that scripts read as no date; the page shows ${quoted(shown, 20)}`,
          0.93,
        ),
        isOfTime: true,
      },
    ];
  }
  return [];
}

const momentsIn = (one: Exchange, { bodies }: RunEvidence): Leaf[] =>
  leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).filter(({ path }) => OF_MOMENT.test(path));

const isUnread = ({ value }: Leaf): boolean =>
  typeof value === "string" &&
  value.trim() !== "" &&
  !TIME_OF_DAY.test(value) &&
  Number.isNaN(new Date(value).getTime());

const TIME_OF_DAY = /^\d{1,2}:\d\d/;

/** What a pass has in that place; undefined where it has nothing. */
const usualOf = (pass: RunEvidence, key: string, path: string): unknown =>
  exchangesOf(pass.facts, key)
    .flatMap((one) => momentsIn(one, pass))
    .find((leaf) => leaf.path === path)?.value;

function formOf(value: string): string {
  if (/^1\d{9}$/.test(value)) return "seconds since 1970 (epoch) as a text";
  return /^1\d{12}$/.test(value) ? "milliseconds since 1970 (epoch) as a text" : "a text in a form";
}
