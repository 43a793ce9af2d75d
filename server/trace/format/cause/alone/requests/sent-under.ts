import { answeredWith, isRead, isWrite } from "../../exchanges/sent.ts";
import { fillsBefore } from "../../page/filled.ts";
import { isSameText } from "../../page/shown-by.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, pathOf, quoted, requestOf } from "../../words.ts";
import { bareName, type LastWrite, lastWrite, leafOfField, sentAnew } from "./last-write.ts";
import { textOf } from "./unsaid.ts";

const MOST = 40;
const SHORTEST = 2;

/** What was filled into one field and sent under the name of another one, or under one that the thing has not. */
export function detectSentUnder(evidence: Evidence): Finding[] {
  const last = lastWrite(evidence);
  return last ? [...swapped(evidence, last), ...misnamed(evidence, last)].slice(0, 1) : [];
}

/** What the fields were filled with whose labels the write has names for. */
function filledIn({ run }: Evidence, last: LastWrite) {
  return fillsBefore(run.facts, last.action).flatMap((step) => {
    const text = textOf(step)?.trim() ?? "";
    const named = text.length >= SHORTEST ? leafOfField(last, step) : null;
    return named ? [{ ...named, step, text, sent: String(named.leaf.value) }] : [];
  });
}

/** Two texts that were sent in each other's place. */
function swapped(evidence: Evidence, last: LastWrite): Finding[] {
  const filled = filledIn(evidence, last);
  for (const one of filled.toReversed()) {
    const other = filled.find(({ sent, text }) => sent === one.text && text === one.sent && text !== sent);
    if (!other) continue;
    const how = `${quoted(one.sent, 40)} for ${quoted(one.leaf.path, 40)} and ${quoted(other.sent, 40)} for ${quoted(other.leaf.path, 40)}, where the test had filled in ${quoted(one.text, 40)} for ${quoted(one.label, 40)} and ${quoted(other.text, 40)} for ${quoted(other.label, 40)}: the two went in each other's place`;
    return [{ ...sentAnew(last, evidence.run, one.step, how), weight: 0.94 }];
  }
  return [];
}

/** A text that was sent under a name that the thing has not, whose own field stayed as it was. */
function misnamed(evidence: Evidence, last: LastWrite): Finding[] {
  const { run, failed } = evidence;
  const { write, action, leaves } = last;
  if (!isWrite(write, run)) return [];
  const read = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && one.ts < write.ts && pathOf(one.url) === pathOf(write.url),
  ).at(-1);
  const had = read ? leavesOf(answeredWith(read, run)) : [];
  const isHad = (path: string) => had.some((leaf) => bareName(leaf.path) === bareName(path));
  const step = fillsBefore(run.facts, action).find(
    (one) => textOf(one)?.trim() === bareOf(failed.expected ?? ""),
  );
  const sent = step && leaves.filter(({ value }) => String(value) === textOf(step)?.trim());
  const stayed = had.find(
    ({ value }) => typeof value === "string" && isSameText(value, bareOf(failed.received ?? "")),
  );
  if (!read || !step || !stayed || sent?.length !== 1 || isHad(sent[0]!.path)) return [];
  if (leaves.some(({ path }) => bareName(path) === bareName(stayed.path))) return [];
  const how = `${quoted(String(sent[0]!.value), 60)} for ${quoted(sent[0]!.path, 40)}, a field that ${requestOf(read, run.facts)} had not: it has ${quoted(stayed.path, 40)}, which stayed ${quoted(String(stayed.value), 60)}`;
  return [{ ...sentAnew(last, run, step, how), weight: 0.92 }];
}
