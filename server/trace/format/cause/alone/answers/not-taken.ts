import { answeredWith, givenIn, isStoring } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 8;
const DEEPEST = 2;
const LONGEST = 200;

/** What a write was sent with and its own answer says was not taken: a list that comes back empty, a value under a name that the server does not know. */
export function detectNotTaken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const writes = answersBefore(
    evidence,
    MOST,
    (one) => isStoring(one, run) && !isTracker(one.url) && !isRefusedBy(one, run),
  );
  return writes.flatMap((one): Finding[] => {
    const [sent, answer] = [givenIn(one, run), answeredWith(one, run)];
    if (!isRecord(sent) || !isRecord(answer)) return [];
    const list = emptiedIn(sent, answer);
    const other = list === null ? otherName(evidence, sent, answer) : null;
    if (list !== null)
      return [
        findingOf(
          evidence,
          one,
          `was sent with ${list.count === 1 ? "1 item" : `${list.count} items`} for ${quoted(list.name, 60)} and answered with an empty list for it: they were not taken`,
          0.78,
        ),
      ];
    if (other !== null)
      return [
        findingOf(
          evidence,
          one,
          `was sent with ${quoted(other.value, 60)} for ${quoted(other.name, 60)} and answered without that field, with ${quoted(other.got, 60)} for ${quoted(other.field, 60)}: it may not know the name`,
          0.86,
        ),
      ];
    return [];
  });
}

function findingOf({ run }: Evidence, one: Exchange, words: string, weight: number): Finding {
  return {
    kind: "answer_changed",
    title: `${requestOf(one, run.facts)} ${words}`,
    detail: null,
    step_id: one.step_id,
    events: one.requestSeq === null ? [one.seq] : [one.seq, one.requestSeq],
    ts: one.end ?? one.ts,
    is_new: null,
    weight,
    about: aboutUrl(one.url, run.facts, one.operation),
  };
}

/** A list that was sent with items and is answered, by its name, without any. */
function emptiedIn(
  sent: Record<string, unknown>,
  answer: Record<string, unknown>,
): { name: string; count: number } | null {
  for (const [name, items] of Object.entries(sent)) {
    if (!Array.isArray(items) || items.length === 0) continue;
    // Things that are sent as their ids come back as what they are.
    const answered = fieldIn(answer, name) ?? fieldIn(answer, name.replace(/_?Ids$/i, "s"));
    if (Array.isArray(answered) && answered.length === 0) return { name, count: items.length };
  }
  return null;
}

/** The first field of a name in an answer, which may wrap the thing that it is of. */
function fieldIn(value: unknown, name: string, depth = 0): unknown {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  if (depth >= DEEPEST) return undefined;
  for (const inner of Object.values(value)) {
    const found = fieldIn(inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The wanted value, sent by a name that the answer has nowhere, where the answer says under another name what the page shows. */
function otherName(
  { failed }: Evidence,
  sent: Record<string, unknown>,
  answer: Record<string, unknown>,
): { name: string; value: string; field: string; got: string } | null {
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "").toLowerCase()) as [
    string,
    string,
  ];
  if (want === "" || got === "" || want === got || got.length > LONGEST) return null;
  const named = Object.entries(sent).find(
    ([, value]) => typeof value === "string" && value.toLowerCase() === want,
  );
  if (!named || fieldIn(answer, named[0]) !== undefined) return null;
  const shown = leavesOf(answer).find(({ value }) => String(value).toLowerCase() === got);
  return shown
    ? { name: named[0], value: String(named[1]), field: shown.path, got: String(shown.value) }
    : null;
}
