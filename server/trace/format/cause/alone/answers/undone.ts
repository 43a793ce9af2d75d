import { isStoring } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 20;
const SHORTEST = 4;

/** A write whose answer says that what it is called by was not done: `MarkRead` with `unread` true, `/posts/7/publish` with `published` false. */
export function detectUndone(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const writes = answersBefore(evidence, MOST, (one) => isStoring(one, run) && !isBeside(one));
  return writes.toReversed().flatMap((one): Finding[] => {
    const deeds = deedsOf(one);
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      (answer) => isUndone(answer, deeds) && isNamed(answer, evidence),
    );
    if (!leaf) return [];
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 10)} for ${quoted(leaf.path, 80)}: what it asked for was not done, or not yet`,
        detail: null,
        step_id: one.step_id,
        events: one.requestSeq === null ? [one.seq] : [one.seq, one.requestSeq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.86,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  });
}

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z]+/g) ?? [];

/** The words of what a request does: of its operation, else of the last part of its address. */
const deedsOf = ({ operation, url }: Exchange): string[] =>
  wordsOf(operation ?? pathOf(url).split("/").at(-1) ?? "").filter((word) => word.length >= SHORTEST);

/** Whether a switch of the answer is as it was before the deed. Of lists each item has its own. */
function isUndone({ path, value }: Leaf, deeds: readonly string[]): boolean {
  if (typeof value !== "boolean" || /(?:^|\.)\d+\./.test(path)) return false;
  const name = wordsOf(
    path
      .split(".")
      .at(-1)!
      .replace(/^is(?=[A-Z_])/, ""),
  ).join("");
  return deeds.some((deed) =>
    value ? name === `un${deed}` : name === deed || name === `${deed}d` || name === `${deed}ed`,
  );
}

/** Whether the failed step speaks of it: answers say of much that it is not so. */
function isNamed({ path }: Leaf, evidence: Evidence): boolean {
  const { title, message, expected, received } = evidence.failed;
  const name = path
    .split(".")
    .at(-1)!
    .replace(/^is(?=[A-Z_])/, "");
  return `${targetOf(evidence)} ${title} ${message} ${expected ?? ""} ${received ?? ""}`
    .toLowerCase()
    .includes(name.toLowerCase());
}
