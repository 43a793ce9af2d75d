import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { OPENS } from "../../page/filled.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;
const MOST_TOLD = 2;
/** How pages say that there is none. */
const NOTHING = /^(?:no\b|none\b|not\b|never\b|without\b|unknown\b|un(?:set|named|titled)\b|n\/a|[–—-]+$)/i;
/** What of a thing stands within a text. */
const TEXTS = /(?:name|title|label|text|code|number|city|address|e?mail|phone)$/i;
/** What is seldom set, and of no page's text. */
const SELDOM =
  /(?:deleted|archived|closed|resolved|cancel(?:l?ed|lation)?|error|cursor|next|prev(?:ious)?|parent|read|avatar)_?(?:at|id|url)?$/i;

/** A page that says there is none where the test wants a value, or leaves a name out of a text: what the last answers for it have nothing for. */
export function detectShownAsNothing(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const isNone = NOTHING.test(got!);
  if (failed.received === null || !want || !(isNone || isLeftOut(want, got!))) return [];
  const opened = run.facts.steps.findLast(({ name, ts }) => OPENS.test(name) && ts < failed.from)?.ts ?? 0;
  const found = answersBefore(evidence, MOST, (one) => one.ts >= opened && isRead(one, run) && !isBeside(one))
    .map((one) => ({
      one,
      paths: nullsIn(bodyOf(one, run.bodies) ?? "").filter((path) => isNone || TEXTS.test(path)),
    }))
    .filter(({ paths }) => paths.length > 0);
  const last = found.at(-1);
  const isSeveral = found.some(
    ({ one }) => one.operation !== last?.one.operation || one.url !== last.one.url,
  );
  if (!last || isSeveral || last.paths.length > MOST_TOLD) return [];
  return [
    answerFinding(
      evidence,
      last.one,
      `${requestOf(last.one, run.facts)} answered “null” for ${last.paths.map((path) => quoted(path, 60)).join(" and ")}, and the page ${isNone ? `shows ${quoted(got!, 40)}` : "leaves out what the test wants"}`,
      0.6,
    ),
  ];
}

/** Whether a text is another one with some words of it left out. */
function isLeftOut(want: string, got: string): boolean {
  let from = 0;
  while (from < got.length && want[from] === got[from]) from++;
  const rest = got.slice(from);
  return from > 0 && rest.length > 0 && want.length > got.length && want.endsWith(rest);
}

/** Where the one thing of an answer, or what it has, is null: lists have many that are. */
const nullsIn = (body: string): string[] =>
  leavesOf(jsonOf(body)).flatMap(({ path, value }) =>
    value === null && !/(?:^|\.)\d+\./.test(path) && !SELDOM.test(path) ? [path] : [],
  );
