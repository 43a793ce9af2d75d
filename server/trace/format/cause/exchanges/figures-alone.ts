import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { isRecord, jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { listsIn } from "../values/lists.ts";
import { bodyOf } from "../words.ts";

const MOST = 20;

/** What an answer says that has a few figures and states, and lists nothing; null of any other. */
export function figuresAlone(one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): Leaf[] | null {
  const body = jsonOf(bodyOf(one, bodies) ?? "");
  if (!isRecord(body) || Object.values(body).some(Array.isArray) || listsIn(body).length > 0) return null;
  const figures = leavesOf(body);
  return figures.length > 0 && figures.length <= MOST ? figures : null;
}
