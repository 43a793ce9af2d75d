import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { lastWrite } from "../requests/last-write.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
/** So many values that are as before say that nothing was changed. */
const FEWEST = 3;
const MAX_DEPTH = 5;
const STATE = /^(?:status|state|phase|stage)$/i;

type Thing = Record<string, unknown>;

/** A write that does something with one thing, and that was answered with that very thing as it had been read before: “/messages/7/read” with `read: false`. */
export function detectNothingChanged(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const write = lastWrite(evidence)?.write;
  const after = write && !isRefusedBy(write, run) ? answeredWith(write, run) : undefined;
  if (!write || !isRecord(after) || !isId(after.id)) return [];
  const deed = pathOf(write.url).split("/").at(-1)!.toLowerCase();
  const field = Object.keys(after).find(
    (name) => isState(after[name]) && (name.toLowerCase() === deed || STATE.test(name)),
  );
  // What is sent to the thing itself may be as it had been for other reasons.
  if (field === undefined || deed === "" || deed === String(after.id).toLowerCase()) return [];
  const read = readBefore(evidence, write, after);
  if (!read) return [];
  return [
    answerFinding(
      evidence,
      write,
      `${requestOf(write, run.facts)} was answered with ${write.status} and the thing as ${requestOf(read, run.facts)} had had it before, ${quoted(String(after[field]), 40)} for ${quoted(field, 40)}: it changed nothing`,
      0.94,
    ),
  ];
}

const isId = (value: unknown): boolean => typeof value === "number" || typeof value === "string";
const isState = (value: unknown): boolean => typeof value === "boolean" || typeof value === "string";

/** The last answer before it that has the thing with the very same values. */
function readBefore({ run, ...evidence }: Evidence, write: Exchange, after: Thing): Exchange | undefined {
  return answersBefore({ run, ...evidence }, MOST, ({ ts }) => ts < write.ts).findLast((one) => {
    const before = thingIn(jsonOf(bodyOf(one, run.bodies) ?? ""), after.id);
    return before !== null && isSame(before, after);
  });
}

function thingIn(value: unknown, id: unknown, depth = 0): Thing | null {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return null;
  if (isRecord(value) && value.id === id) return value;
  for (const inner of Object.values(value)) {
    const found = thingIn(inner, id, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function isSame(before: Thing, after: Thing): boolean {
  const names = Object.keys(after).filter((name) => name !== "id" && Object.hasOwn(before, name));
  return (
    names.length >= FEWEST &&
    names.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]))
  );
}
