import { isWrite, requestBodyOf, SECRET } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, quoted, requestOf } from "../../words.ts";
import { keptBy, listAfter, nameOf } from "./undeleted.ts";

const MOST = 40;
const DEED = /^[a-z][a-z_-]{2,19}$/i;

/** A thing that a write takes out of its list in every pass, archived or handed over, and that the list has afterwards here. */
export function detectStillListed(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const words = `${targetOf(evidence)} ${failed.title} ${failed.received ?? ""}`;
  const answers = answersBefore(evidence, MOST);
  const write = answers.findLast(
    (one) =>
      one.method !== "DELETE" &&
      one.type !== "api" &&
      isWrite(one, run) &&
      words.includes(nameOf(one) ?? "\n") &&
      keptBy(run, one, answers) !== null,
  );
  const kept = write && keptBy(run, write, answers);
  if (!write || !kept) return [];
  const isTakenOut = (pass: RunEvidence) => {
    const same = ofSameTurn(write, run.facts, pass.facts);
    const later = pass.facts.exchanges.filter(({ method }) => method === "GET");
    return (
      same !== undefined &&
      !isFailedExchange(same) &&
      listAfter(same, later) !== undefined &&
      keptBy(pass, same, later) === null
    );
  };
  if (!passes.every(isTakenOut)) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)} was${deedOf(write, run)} answered with ${write.status}, but ${requestOf(kept, run.facts)} still had ${quoted(nameOf(write)!, 80)} afterwards, which it has in no pass: it was not taken out of the list`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq, kept.seq],
      ts: kept.end ?? kept.ts,
      is_new: true,
      weight: 0.92,
      about: aboutUrl(kept.url, run.facts),
    },
  ];
}

/** What a write was to do, where a field says it in one word, as a clause. */
export function deedOf(write: Exchange, run: RunEvidence): string {
  const deed = leavesOf(requestBodyOf(write, run)).find(
    ({ path, value }) => DEED.test(String(value)) && typeof value === "string" && !SECRET.test(path),
  );
  return deed ? ` sent with ${quoted(String(deed.value), 30)} for ${quoted(deed.path, 40)} and` : "";
}
