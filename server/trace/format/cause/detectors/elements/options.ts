import { oneLine } from "../../../error-text.ts";
import { pickedBy } from "../../page/field-values.ts";
import { wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST_OPTIONS = 8;
const MOST_ANSWERS = 40;

/** What can be picked on the page where the picked one is missing, and the answer that its options are of. */
export function optionsOf(evidence: Evidence): string {
  const { run, passes, failed } = evidence;
  const picked = failed.step === null ? [] : pickedBy(failed.step);
  const elements = run.page?.elements ?? [];
  const fields = wantedOn({ failed }, elements).filter(({ tag }) => tag === "select");
  const inside = fields.length === 1 && passes.length === 0 ? insideOf(elements, fields[0]!) : elements;
  const names = [...new Set(inside.flatMap(({ tag, own }) => (tag === "option" && own !== "" ? [own] : [])))];
  const few = names.slice(0, MOST_OPTIONS).map((name) => quoted(name, 50));
  const sought = picked.length === 0 ? "" : ` (${picked.map((name) => quoted(name, 50)).join(", ")})`;
  if (few.length === 0) return sought;
  const by = passes.length === 0 && picked.length === 1 ? answerOf(evidence, picked[0]!, names) : "";
  return `${sought}; ${inside === elements ? "the page" : "it"} has the options ${few.join(", ")}${by}`;
}

/** Whether the answer that has the names of two options or more has the wanted one, as a clause. */
function answerOf(evidence: Evidence, wanted: string, names: readonly string[]): string {
  const { run } = evidence;
  for (const one of answersBefore(
    evidence,
    MOST_ANSWERS,
    ({ url }) => !isForeign(url, run.facts),
  ).toReversed()) {
    const leaves = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    const said = leaves.filter(
      ({ path, value }) => IN_LIST.test(path) && names.some((name) => isIt(name, value)),
    );
    const isThere = leaves.some(({ path, value }) => IN_LIST.test(path) && isIt(wanted, value));
    // One name may stand in any answer; beside the wanted one it is a list of what can be picked.
    if (new Set(said.map(({ value }) => value)).size < (isThere ? 1 : 2)) continue;
    const answer = requestOf(one, run.facts);
    return isThere
      ? `: ${answer} answered with ${quoted(wanted, 50)} as well, which the page does not offer`
      : `: ${answer} answered without ${quoted(wanted, 50)}${listOf(said[0]!)}`;
  }
  return "";
}

const IN_LIST = /(?:^|\.)\d+(?:\.|$)/;
const isIt = (name: string, value: unknown): boolean =>
  typeof value === "string" && oneLine(value) === oneLine(name);

const listOf = ({ path }: Leaf): string => {
  const parts = path.split(".");
  const list = parts
    .slice(
      0,
      parts.findIndex((part) => /^\d+$/.test(part)),
    )
    .join(".");
  return list === "" ? "" : ` in ${quoted(list, 60)}`;
};
