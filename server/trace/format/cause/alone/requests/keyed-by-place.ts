import { givenIn, isRead, isStoring } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { isOneForAll } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { aboutUrl, isTracker, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const FEWEST = 2;

/** A write with one value for each of several things, under the places of these in their list and not under the ids by which the answer before it knows them. */
export function detectKeyedByPlace(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const [write] = answersBefore(evidence, 1, (one) => isStoring(one, run) && !isTracker(one.url));
  const sent = write && givenIn(write, run);
  if (!write || !isRecord(sent)) return [];
  const ids = idsBefore(evidence, write);
  const field = Object.keys(sent).find((name) => isByPlace(sent[name], ids.length));
  if (field === undefined) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)} was sent with ${quoted(field, 40)} keyed by position (“0”, “1”, …), where the answer before it goes by the ids ${quoted(ids[0]!, 30)}, ${quoted(ids[1]!, 30)}, …: nothing of it is known there`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.88,
      about: aboutUrl(write.url, run.facts, write.operation),
    },
  ];
}

/** The ids of the things that the last answer at the same address listed; none where one of them is a place itself. */
function idsBefore(evidence: Evidence, write: Exchange): string[] {
  const { run } = evidence;
  const lists = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && one.ts < write.ts && pathOf(one.url) === pathOf(write.url),
  ).map((one) => thingsOf(one, run.bodies));
  // Where one address answers everything, the last answer may list nothing.
  const things = isOneForAll(write) ? lists.findLast(({ length }) => length > 0) : lists.at(-1);
  const ids = (things ?? []).map(({ id }) => id);
  return ids.every((id) => typeof id === "string" && !/^\d+$/.test(id)) ? ids.map(String) : [];
}

/** Whether a value has an entry for each of so many places, and no other. */
const isByPlace = (value: unknown, count: number): boolean =>
  isRecord(value) &&
  count >= FEWEST &&
  Object.keys(value).length === count &&
  Object.keys(value).every((key, at) => key === String(at));
