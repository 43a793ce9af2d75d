import { wrongOf } from "../../detectors/elements/wrong.ts";
import { isRead, isWrite } from "../../exchanges/sent.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, isTracker, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 60;

/** A write of the last action that was answered with no content and read nothing since, of a page whose other writes are answered with a part of it. */
export function detectNothingToShow(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const action = actionBefore(facts, failed);
  if (!action || !(isMissing(evidence) || wrongOf(evidence) !== null)) return [];
  const isOfPage = ({ type, url }: Exchange) =>
    /^(?:xhr|fetch|document)$/.test(type ?? "") && !isTracker(url) && !isForeign(url, facts);
  const answers = answersBefore(evidence, MOST, (one) => isOfPage(one) && !isBeside(one));
  const write = answers.findLast((one) => one.ts >= action.ts - 5 && isWrite(one, run));
  if (write?.status !== 204) return [];
  const isReadSince = answers.some((one) => one.ts > write.ts && isRead(one, run));
  const usual = answers.findLast(
    (one) =>
      one.ts < write.ts &&
      one.type === write.type &&
      one.page === write.page &&
      isWrite(one, run) &&
      isPart(one, evidence),
  );
  if (isReadSince || !usual) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, facts)} was answered with 204 and no content, and nothing was read since: the page got nothing to show in the place of what stood there (${requestOf(usual, facts)} had been answered with a part of the page)`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq, usual.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.84,
      about: aboutUrl(write.url, facts, write.operation),
    },
  ];
}

/** Whether an answer brought markup. */
const isPart = (one: Exchange, { run: { bodies } }: Evidence): boolean =>
  /html/.test(one.mediaType) &&
  ((bodyOf(one, bodies) ?? "").trim() !== "" || Number(headerOf(one.headers, "content-length")) > 0);
