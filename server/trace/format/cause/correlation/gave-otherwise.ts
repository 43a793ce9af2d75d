import { otherSent } from "../exchanges/other-sent.ts";
import { SECRET } from "../exchanges/sent.ts";
import { fieldsIn } from "../page/form-fields.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../words.ts";
import { refusedWrites } from "./refused.ts";
import { answersTo } from "./tokens.ts";

const MOST_FIELDS = 400;

/** The answer that gave a refused request the value which it sent, where it gave every pass the one that those sent. */
export function detectGaveOtherwise(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  return refusedWrites(evidence).flatMap((one) => findingOf(evidence, one) ?? []);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const other = otherSent(evidence, one);
  if (!other?.path.startsWith("the field ") || SECRET.test(other.path)) return null;
  const [now, before] = [other.now, other.before].map(wordsOf);
  // What is of another type alone is the same in what answers give, which say it as the page got it.
  if (!now || !before || now === before) return null;
  const name = other.path.replace(/^the field (?:.*\.)?/, "");
  const giver = answersTo(run, one.ts).findLast((answer) => valueIn(answer, name, run) !== undefined);
  if (!giver || valueIn(giver, name, run) !== now) return null;
  const key = exchangeKey(giver, run.facts);
  const nth = exchangesOf(run.facts, key).indexOf(giver);
  const isUsual = passes.every((pass) => {
    const same = exchangesOf(pass.facts, key)[nth];
    return same !== undefined && valueIn(same, name, pass) === before;
  });
  if (!isUsual) return null;
  return {
    kind: "answer_changed",
    title: `${requestOf(giver, run.facts)} had given ${quoted(now, 60)} for ${quoted(name, 60)}, where it gave ${quoted(before, 60)} in the last pass`,
    detail: null,
    step_id: giver.step_id,
    events: [giver.seq],
    ts: giver.end ?? giver.ts,
    is_new: true,
    weight: 0.7,
    about: `gave ${one.seq}`,
  };
}

const wordsOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** What an answer says for a name: in JSON, or as a field of a form. */
function valueIn(one: Exchange, name: string, { bodies }: RunEvidence): string | undefined {
  const text = bodyOf(one, bodies) ?? "";
  if (!text.includes(name)) return undefined;
  const json = jsonOf(text);
  if (json === undefined)
    return fieldsIn(text, MOST_FIELDS).find(({ place }) => place === `the field ${name}`)?.value;
  const leaf = leavesOf(json).find(({ path }) => path === name || path.endsWith(`.${name}`));
  return leaf && wordsOf(leaf.value);
}
