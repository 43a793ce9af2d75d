import { closestElement } from "../../detectors/elements/missing.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { besideOf } from "../../values/beside.ts";
import { isFigureOf } from "../../values/figures.ts";
import { isRecord, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, NOTHING, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { TYPES } from "../requests/search.ts";

const MOST_FIELDS = 10;
const MAX_DEPTH = 3;

/** What the page wrote without a value, with the fields that an answer before it has: one of them may go by another name. */
export function detectNoValue(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = shownBy(evidence);
  if (!NOTHING.test(got) || NOTHING.test(want)) return [];
  // A runner that never came to look at the page knows no state of an element, and says so in the same word.
  if (OF_STATE.test(want) && got === "undefined") return [];
  const last = lastAnswer(evidence);
  const fields = last ? fieldsOf(jsonOf(bodyOf(last, run.bodies) ?? "")) : [];
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const unread = otherNamed(evidence, want) ?? (/\bNaN\b/.test(got) ? unreadNumber(evidence) : null);
  const isOwn = last !== undefined && isWorkedOut(evidence, last, got);
  const told =
    unread?.words ??
    (isOwn
      ? "no answer came since the test wrote into its fields: the page works it out by itself, and took something for a number that is none"
      : last && fields.length > 0
        ? answerWith(last, fields, evidence)
        : null);
  const source = unread?.one ?? (isOwn ? undefined : last);
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

/** A figure that the page leaves out, with the one answer with a number that came since the last action: it may look for something else in there. */
export function detectNoFigure(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = bareOf(failed.expected ?? "");
  const action = actionBefore(run.facts, failed);
  if (!action || failed.received === null || bareOf(failed.received) !== "" || !/\d/.test(want)) return [];
  // What was asked for before as well is asked for by itself.
  const isNew = ({ method, url }: Exchange) =>
    !run.facts.exchanges.some((one) => one.ts < action.ts && one.method === method && one.url === url);
  const told = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) => one.ts >= action.ts && isData(one.type) && isRead(one, run) && !isBeside(one) && isNew(one),
  ).filter((one) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).some(({ value }) => typeof value === "number"),
  );
  const [last] = told;
  if (!last || told.length > 1) return [];
  const fields = fieldsOf(jsonOf(bodyOf(last, run.bodies) ?? ""));
  return [
    answerFinding(
      evidence,
      last,
      `${requestOf(last, run.facts)} answered after ${quotedStep(action)} with the fields ${fields.slice(0, MOST_FIELDS).join(", ")}, and ${targetOf(evidence) || "the page"} shows nothing, where the test wants ${quoted(want, 60)}`,
      0.42,
    ),
  ];
}

/** Whether a page made a number of what stands in its fields: the last answer came before the test wrote into them. */
const isWorkedOut = ({ run, failed }: Evidence, last: Exchange, got: string): boolean =>
  /\bNaN\b/.test(got) &&
  run.facts.steps.some(
    (step) =>
      TYPES.test(step.name) &&
      step.ts > (last.end ?? last.ts) &&
      step.end <= failed.from &&
      last.handled === null,
  );

const OF_STATE =
  /^(?:visible|hidden|attached|detached|enabled|disabled|checked|unchecked|editable|readonly|focused|in viewport)$/;

/** The answer that the page most likely took it from: one that the test itself gave, else the last one that is not asked for again and again. */
function lastAnswer(evidence: Evidence): Exchange | undefined {
  const { facts } = evidence.run;
  const answers = answersBefore(evidence, MOST_ANSWERS, ({ type }) => isData(type));
  const isOften = (one: Exchange) => exchangesOf(facts, exchangeKey(one, facts)).length > OFTEN;
  return (
    answers.findLast(({ handled }) => handled === "fulfilled") ??
    answers.findLast((one) => !isOften(one)) ??
    answers.at(-1)
  );
}

const OFTEN = 2;
const isData = (type: string | null): boolean => /^(?:xhr|fetch)$/.test(type ?? "");

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

/** Fewer digits stand in an answer for other reasons. */
const FEWEST_DIGITS = 3;

/** The one field of an answer that has the very number that the test wants: what the page has no value for it looks for by another name. */
function otherNamed(evidence: Evidence, want: string): { one: Exchange; words: string } | null {
  const { run } = evidence;
  if (want.replace(/\D/g, "").length < FEWEST_DIGITS) return null;
  for (const one of answersBefore(evidence, MOST_ANSWERS, ({ type }) => isData(type)).toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    const [leaf, ...others] = leaves.filter(({ value }) => isFigureOf(value, want));
    if (leaf && others.length === 0) {
      const name = namedAlike(leaf, leaves);
      return {
        one,
        words: `${answered(one, run.facts)} ${quoted(String(leaf.value), 40)} for ${quoted(leaf.path, 60)}, which the page may look for by another name${name === null ? "" : `, ${quoted(name, 60)} as what stands beside it`}`,
      };
    }
  }
  return null;
}

/** The name of a number by the way in which those beside it are called: `totalCents` for `total` beside `partsCents` and `labourCents`. */
function namedAlike(leaf: Leaf, leaves: readonly Leaf[]): string | null {
  const name = leaf.path.split(".").at(-1)!;
  const endings = besideOf(leaves, leaf).flatMap(({ path, value }) => {
    const ending = /(?:[A-Z]|_)[a-z]+$/.exec(path)?.[0];
    return typeof value === "number" && ending !== undefined && !name.endsWith(ending) ? [ending] : [];
  });
  const ending = endings.find((one, at) => endings.indexOf(one) < at);
  return ending === undefined ? null : `${name}${ending}`;
}

const answered = (one: Exchange, facts: RunFacts): string =>
  one.handled === "fulfilled"
    ? `the test's own route answered ${requestOf(one, facts)} with`
    : `${requestOf(one, facts)} answered`;

/** What stands between the values of a table's lines, below its heading, where that is no comma. */
function separatorOf(body: string): string | null {
  const [, line = ""] = body.split("\n", 2);
  return [";", "\t", "|"].find((one) => line.includes(one) && !line.includes(",")) ?? null;
}

const answerWith = (last: Exchange, fields: readonly string[], { run }: Evidence): string =>
  `${last.handled === "fulfilled" ? "the answer that the test's own route gave" : "the last answer"}, to ${requestOf(last, run.facts)}, has the fields ${fields.slice(0, MOST_FIELDS).join(", ")}${fields.length > MOST_FIELDS ? ", …" : ""}`;

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
