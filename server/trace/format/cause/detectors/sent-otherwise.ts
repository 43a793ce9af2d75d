import { jsonOf, leavesOf } from "../json-leaves.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import { DAY, otherSent } from "../sent.ts";
import type { Evidence, Finding } from "../types.ts";
import { bodyOf, isForeign, requestOf } from "../words.ts";

const MOST = 20;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/;

/** What the page sent to be kept otherwise than in every pass, though the answer went well: what is shown later is what was sent. */
export function detectSentOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const isWrite = ({ method, url }: { method: string; url: string }) =>
    CHANGES.test(method) && !isForeign(url, run.facts);
  const writes = answersBefore(evidence, MOST, isWrite);
  const wanted = `${failed.title} ${failed.message} ${failed.expected ?? ""} ${failed.received ?? ""}`;
  return writes.flatMap((one): Finding[] => {
    const another = sentElsewhere(evidence, one);
    if (another) return [another];
    const other = otherSent(evidence, one);
    // What a query or a header says is of the transport: sessions, versions, moments.
    if (!other?.path.startsWith("the field")) return [];
    const isSought = [other.before, other.now].some(
      (value) => typeof value === "string" && value.length > 2 && wanted.includes(value),
    );
    // The run may be of another day than its passes.
    if (!isSought && DAY.test(String(other.before))) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, run.facts)} was sent ${other.words}${other.now === undefined ? ", which the last pass sent" : ""}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq],
        ts: one.ts,
        is_new: true,
        weight: isSought ? 0.94 : 0.5,
        about: `body ${one.seq}`,
      },
    ];
  });
}

/** A write that went to another thing of its kind than in every pass, which this run has been told of too. */
function sentElsewhere(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const nth = exchangesOf(run.facts, key).indexOf(one);
  const others = passes.map(({ facts }) => exchangesOf(facts, key)[nth]);
  const [usual] = others;
  const addresses = new Set(others.map((other) => other && pathOf(other)));
  if (!usual || passes.length < 2 || addresses.size !== 1 || addresses.has(pathOf(one))) return null;
  const id = partsOf(usual).find((part, at) => part !== partsOf(one)[at])!;
  const isKnown = run.facts.exchanges.some(
    (answer) =>
      answer.ts < one.ts &&
      leavesOf(jsonOf(bodyOf(answer, run.bodies) ?? "")).some(({ value }) => String(value) === id),
  );
  if (!isKnown) return null;
  return {
    kind: "page_changed",
    title: `${requestOf(one, run.facts)} was sent where every pass sent ${requestOf(usual, passes[0]!.facts)}`,
    detail: null,
    step_id: one.step_id,
    events: [one.requestSeq ?? one.seq],
    ts: one.ts,
    is_new: true,
    weight: 0.97,
    about: `body ${one.seq}`,
  };
}

const pathOf = ({ url }: Exchange): string => URL.parse(url)?.pathname ?? url;
const partsOf = (one: Exchange): string[] => pathOf(one).split("/");
