import { requestBodyOf, requestText, SECRET } from "../../exchanges/sent.ts";
import { OPENS } from "../../page/filled.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { quoted, requestOf } from "../../words.ts";
import { isCarried } from "../input/keys-into-nothing.ts";
import { isOwnWrite } from "./empty-write.ts";
import { FINDS, TYPES } from "./search.ts";
import { holds } from "./sought.ts";
import { textOf } from "./unsaid.ts";

const MOST_GIVEN = 12;
const MOST_WRITES = 20;
const MOST_TOLD = 3;
/** Of fields of which the test looks for none, fewer may be named alike by chance. */
const FEWEST = 2;

/** What the test had filled in, with the words by which the field is called. */
interface Given {
  step: Step;
  text: string;
  field: string;
  words: string[];
}

/** A write whose values for some fields are empty, though the test had filled them in, and that no request has said since: the form forgot them. */
export function detectEmptiedValue(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const given = givenBefore(evidence);
  if (given.length === 0) return [];
  const writes = lastOf(
    run.facts.exchanges,
    MOST_WRITES,
    (one) => isOwnWrite(one, run) && one.ts >= given[0]!.step.ts && one.ts <= failed.to,
  );
  const isSaid = (text: string) => writes.some((one) => isCarried(one, requestText(one, run.bodies), text));
  const lost = given.filter(({ text }) => !isSaid(text));
  for (const write of writes.toReversed()) {
    const emptied = emptiedIn(write, lost, evidence);
    const isSought = emptied.some(({ text }) => holds(failed.expected ?? failed.title, text));
    if (emptied.length < (isSought ? 1 : FEWEST)) continue;
    const told = emptied.slice(0, MOST_TOLD);
    return [
      {
        kind: "page_changed",
        title: `${requestOf(write, run.facts)} was sent with ${told.length === 1 ? "an empty value" : "empty values"} for ${told.map(({ path }) => quoted(path, 60)).join(" and ")}, though the test had given ${told.map(({ text, field }) => `${quoted(text, 60)} in ${quoted(field, 60)}`).join(" and ")} before`,
        detail: null,
        step_id: write.step_id,
        events: [write.requestSeq ?? write.seq, ...told.map(({ step }) => step.seq)],
        ts: write.ts,
        is_new: null,
        weight: isSought ? 0.9 : 0.72,
        about: `body empty ${write.seq}`,
      },
    ];
  }
  return [];
}

/** What was given last to each field since the page was opened, but secrets and what things are found by. */
function givenBefore({ run: { facts }, failed }: Evidence): Given[] {
  const { steps } = facts;
  const page = failed.step?.page ?? null;
  const opened = steps.findLast(({ name, ts }) => OPENS.test(name) && ts < failed.from)?.seq ?? 0;
  const last = new Map(
    steps
      .filter(
        (one) =>
          one.kind === "agent.action" &&
          (TYPES.test(one.name) || CLEARS.test(one.name)) &&
          typeof one.params.selector === "string" &&
          !one.isFailed &&
          one.seq > opened &&
          one.end <= failed.from &&
          (page === null || one.page === page),
      )
      .map((one) => [one.params.selector as string, one]),
  );
  return [...last].slice(-MOST_GIVEN).flatMap(([selector, step]): Given[] => {
    const text = textOf(step);
    const wanted = wantedBy(lastPartOf(selector));
    const field = wanted.name ?? wanted.testId ?? wanted.id ?? NAMED.exec(selector)?.[1] ?? "";
    const words = wordsOf(field);
    return text === null || words.length === 0 || SECRET.test(field) || FINDS.test(field)
      ? []
      : [{ step, text, field, words }];
  });
}

const CLEARS = /(?:^|\.)clear$/;
const NAMED = /\[name=["']?([\w.-]+)/;

/** `fullName`, `Full name` and `full_name` are the same words. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);

/** The empty values of a write that are called as what was given before it, each with that. */
function emptiedIn(
  write: Exchange,
  given: readonly Given[],
  { run }: Evidence,
): (Given & { path: string })[] {
  const empty = leavesOf(requestBodyOf(write, run)).filter(({ value }) => value === "" || value === null);
  return given.flatMap((one) => {
    if (one.step.end > write.ts) return [];
    const leaf = empty.find(({ path }) => isCalled(path.split(".").at(-1)!, one.words));
    return leaf ? [{ ...one, path: leaf.path }] : [];
  });
}

/** Whether all words of a name are among those of a field: `name` is of “Full name”, `referralName` is not. */
function isCalled(name: string, words: readonly string[]): boolean {
  const own = wordsOf(name);
  return own.length > 0 && own.every((word) => words.includes(word));
}
