import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { pickedBy } from "../../page/field-values.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 40;

/** An option that a list does not have, where what its options are asked from is not answered yet, or was answered with no things. */
export function detectNoOptions(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [picked] = failed.step === null ? [] : pickedBy(failed.step);
  if (picked === undefined || !/did not find some options/.test(failed.step!.log.join("\n"))) return [];
  const target = targetOf(evidence);
  const isData = (one: Exchange) =>
    /^(?:xhr|fetch)$/.test(one.type ?? "") && isRead(one, run) && !isBeside(one) && !isTracker(one.url);
  const label = bare(wantedBy(lastPartOf(target)).name ?? "");
  const pending = run.facts.exchanges.findLast(
    (one) =>
      one.ts <= failed.to && isData(one) && (one.end === null || one.end > failed.to) && isOf(one, label),
  );
  if (pending)
    return [
      {
        kind: "request_pending",
        title: `${requestOf(pending, run.facts)} was not answered when the step gave up: ${target} has no option ${quoted(picked, 60)} yet`,
        detail: null,
        step_id: pending.step_id,
        events: [pending.seq],
        ts: pending.ts,
        is_new: null,
        weight: 0.93,
        about: aboutUrl(pending.url, run.facts, pending.operation),
      },
    ];
  const empty = answersBefore(evidence, MOST, isData).flatMap((one) => {
    const name = emptyListOf(jsonOf(bodyOf(one, run.bodies) ?? ""));
    return name === null ? [] : [{ one, name }];
  });
  const [first, ...others] = empty;
  if (!first || others.some(({ name }) => name !== first.name)) return [];
  return [
    answerFinding(
      evidence,
      first.one,
      `${requestOf(first.one, run.facts)} answered with an empty list${first.name === "" ? "" : ` for ${quoted(first.name, 60)}`}: ${target} has no option ${quoted(picked, 60)}`,
      0.9,
    ),
  ];
}

/** What a label or an operation is about, whether of one or several: `SavedReplies`, “Saved reply”. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, "")
    .replace(/(?:ies|y|es|s)$/, "");

const isOf = (one: Exchange, label: string): boolean =>
  label.length > 3 && bare(`${one.operation ?? pathOf(one.url).split("/").at(-1)}`).endsWith(label);

/** The name of the list that is all of an answer, where it has nothing in it; null of any other answer. */
function emptyListOf(value: unknown): string | null {
  let [node, path] = [value, ""];
  while (isRecord(node)) {
    const [entry, ...others] = Object.entries(node);
    if (!entry || others.length > 0) return null;
    [node, path] = [entry[1], path === "" ? entry[0] : `${path}.${entry[0]}`];
  }
  return Array.isArray(node) && node.length === 0 ? path : null;
}
