import type { Step } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";
import { troubleOn } from "../input/said.ts";
import { TYPES } from "../requests/search.ts";
import { textOf } from "../requests/unsaid.ts";

const MOST = 60;
const MOST_TYPED = 20;
const MOST_LEAVES = 200;
const UPPER = /^(?:max|maximum|limit|cap|ceiling|most|upper)$/;
const LOWER = /^(?:min|minimum|floor|least|lower)$/;
const SHORTEST = 4;

/** A limit of an answer that a number which the test typed is out of, where the page objects. */
export function detectLimit(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [objection] = troubleOn(run);
  if (!objection || !run.page) return [];
  const typed = lastOf(
    run.facts.steps,
    MOST_TYPED,
    ({ name, isFailed, end }) => TYPES.test(name) && !isFailed && end <= failed.from,
  );
  for (const one of answersBefore(evidence, MOST).toReversed())
    for (const leaf of leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).slice(0, MOST_LEAVES)) {
      const step = typed.find((given) => isOutOf(given, leaf));
      if (!step) continue;
      return [
        {
          kind: "answer_changed",
          title: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 20)} for ${quoted(leaf.path, 80)}, and the test typed ${quoted(textOf(step)!, 20)}: the page says ${quoted(objection.own, 80)}`,
          detail: null,
          step_id: step.step_id,
          events: [one.seq, step.seq, run.page.shot.seq],
          ts: failed.from,
          is_new: null,
          weight: 0.88,
          about: aboutUrl(one.url, run.facts, one.operation),
        },
      ];
    }
  return [];
}

/** Whether a step typed a number beyond the limit, into a field that goes by the limit's name. */
function isOutOf(step: Step, { path, value }: Leaf): boolean {
  const text = textOf(step) ?? "";
  if (typeof value !== "number" || !/^-?\d+(?:\.\d+)?$/.test(text)) return false;
  const words = (
    path
      .split(".")
      .at(-1)!
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .match(/[a-z]+/gi) ?? []
  ).map((word) => word.toLowerCase());
  const isBeyond =
    (words.some((word) => UPPER.test(word)) && Number(text) > value) ||
    (words.some((word) => LOWER.test(word)) && Number(text) < value);
  const field = `${step.title} ${String(step.params.selector ?? "")}`.toLowerCase();
  return isBeyond && words.some((word) => word.length >= SHORTEST && !isBound(word) && field.includes(word));
}

const isBound = (word: string): boolean => UPPER.test(word) || LOWER.test(word);
