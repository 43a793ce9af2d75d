import { isDeepStrictEqual } from "node:util";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isIdAt, isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { aboutUrl, bodyOf, howOften, quoted, requestOf } from "../../words.ts";
import { countsOf } from "./listed.ts";

const MOST_ANSWERS = 60;
const MOST_ITEMS = 300;
/** Items that say less may well be alike. */
const FEWEST_FIELDS = 3;
const MOST_NAMES = 2;

/** A list of an answer that has one item more than once, as it has in no pass: by its id, or with all that it says. */
export function detectSameItemTwice(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const counts = countsOf(evidence);
  const isMet = (counts !== null && counts.got > counts.want) || isAmbiguous(evidence);
  // Without a pass nothing else says that it is not as it is meant.
  if (passes.length === 0 && !isMet) return [];
  for (const one of answersBefore(evidence, MOST_ANSWERS).toReversed()) {
    const twice = twiceIn(one, run);
    const key = exchangeKey(one, facts);
    if (!twice || passes.some((pass) => exchangesOf(pass.facts, key).some((each) => twiceIn(each, pass))))
      continue;
    const { item, times, path, count } = twice;
    const isAsked = passes.length > 0 && passes.every((pass) => exchangesOf(pass.facts, key).length > 0);
    if (!isAsked && !isMet) continue;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, facts)} answered with the same item ${howOften(times)}${path === "" ? "" : ` in ${quoted(path, 60)}`}: ${nameOf(item)}, of ${count} items${isAsked ? ", where the last pass has none twice" : ""}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: passes.length === 0 ? null : true,
        weight: isMet ? 0.96 : 0.8,
        listsMore: true,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

const isAmbiguous = ({ failed: { message } }: Evidence): boolean => message.includes("strict mode violation");

interface Twice {
  item: Record<string, unknown>;
  times: number;
  path: string;
  /** Of all items of the list. */
  count: number;
}

/** The first item that a list of an answer has more than once. */
function twiceIn(one: Exchange, { bodies }: RunEvidence): Twice | null {
  const body = bodyOf(one, bodies) ?? "";
  for (const { path, items } of listsIn(jsonOf(body))) {
    const records = items.filter(isRecord).slice(0, MOST_ITEMS);
    const groups = Map.groupBy(records, (item) => String(item.id ?? item._id ?? JSON.stringify(item)));
    for (const same of groups.values()) {
      const [item, ...others] = same as [Record<string, unknown>];
      const isSame = others.every((other) => isDeepStrictEqual(other, item));
      if (others.length > 0 && isSame && Object.keys(item).length >= FEWEST_FIELDS)
        return { item, times: same.length, path, count: items.length };
    }
  }
  return null;
}

/** By its first texts, and its id. */
function nameOf(item: Record<string, unknown>): string {
  const texts = leavesOf(item).flatMap(({ path, value }) =>
    typeof value === "string" && !isIdAt(path) && !path.startsWith("__") && /^\p{L}{2}/u.test(value)
      ? [value]
      : [],
  );
  const id = item.id ?? item._id;
  const name = texts.slice(0, MOST_NAMES).join(", ");
  return [name && quoted(name, 60), id === undefined ? "" : `(id ${String(id).slice(0, 40)})`]
    .filter((part) => part !== "")
    .join(" ");
}
