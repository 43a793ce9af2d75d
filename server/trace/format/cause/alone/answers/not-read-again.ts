import { isAskedAlike, isRead, requestBodyOf } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf } from "../../page/wanted.ts";
import { lastTakenWrite } from "../../plausibility/alone-answers.ts";
import { isMissing } from "../../run/missing-element.ts";
import { isOneForAll, topicsOf } from "../../run/operations.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, pathOf, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const MOST = 60;

/** What a write was made to, and which the page had read before and did not read again since, where the test waits for something more on it. */
export function detectNotReadAgain(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const write = lastTakenWrite(evidence);
  if (
    !action ||
    write?.method !== "POST" ||
    write.ts < action.ts - 50 ||
    write.type === "document" ||
    bringsPage(write) ||
    !isOneMore(evidence)
  )
    return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? "") && !isBeside(one),
  );
  const read = reads.findLast((one) => one.ts < write.ts && isOfSame(evidence, one, write));
  const isAgain = (one: Exchange) =>
    one.ts >= write.ts && (one.type === "document" || (isRead(one, run) && isAskedAlike(one, read!)));
  if (!read || hasLeft(evidence, action) || run.facts.exchanges.some(isAgain)) return [];
  return [
    {
      kind: "request_unsent",
      title: `${requestOf(read, run.facts)} was not asked for again after ${requestOf(write, run.facts)}, answered with ${write.status}: nothing was reloaded, and the page goes on with what it knew before`,
      detail: null,
      step_id: write.step_id,
      events: [write.seq, read.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.8,
      about: aboutUrl(read.url, run.facts, read.operation),
    },
  ];
}

/** Whether a write's answer led on, or is itself what the page shows next. */
const bringsPage = ({ status, mediaType }: Exchange): boolean =>
  (status ?? 0) >= 300 || /html/.test(mediaType);

/** Whether a write was made to a part of what was read, or was sent with its name and is what the test speaks of. */
function isOfSame(evidence: Evidence, one: Exchange, write: Exchange): boolean {
  if (isPartOf(one, write) || isOfMade(evidence, one, write)) return true;
  if (isOneForAll(one) && isOneForAll(write)) {
    const topics = topicsOf(write.operation ?? "");
    return topicsOf(one.operation ?? "").some((topic) => topics.includes(topic));
  }
  const spoken = stemsOf(`${targetOf(evidence)} ${evidence.failed.expected ?? ""}`);
  const isSpoken = [...stemsOf(pathOf(write.url))].some((stem) => spoken.has(stem));
  return isSpoken && namesOf(evidence, write).some((name) => endsWith(one, name));
}

/** Whether what was read lists things of the kind that the write made, and the test looks for that one by what was sent. */
function isOfMade(evidence: Evidence, one: Exchange, write: Exchange): boolean {
  const { run } = evidence;
  if (pathOf(one.url) !== pathOf(write.url) || write.status !== 201) return false;
  const target = targetOf(evidence);
  return (
    thingsOf(one, run.bodies).length > 0 &&
    leavesOf(requestBodyOf(write, run)).some(
      ({ value }) => typeof value === "string" && value.length >= SHORTEST && target.includes(value),
    )
  );
}

const SHORTEST = 4;

/** Words by their first five letters: `enrolments` and “enrolled”. */
const stemsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/\p{L}{5,}/gu) ?? []).map((word) => word.slice(0, 5)));

/** Whether the page is at another address than the action met it at. */
function hasLeft({ run }: Evidence, { ts, page }: Step): boolean {
  const met = run.facts.pages.findLast((shot) => shot.page === page && shot.ts <= ts)?.url;
  return met !== undefined && run.page !== null && pathOf(met) !== pathOf(run.page.shot.url);
}

/** Whether the test waits for something that is not there, other than a word of the page, or for one more than there is. */
const isOneMore = (evidence: Evidence): boolean =>
  isMissing(evidence)
    ? !SAYS.test(lastPartOf(targetOf(evidence)))
    : Number(evidence.failed.expected) - Number(evidence.failed.received) === 1;

/** By what a page tells how an action went. */
const SAYS = /['"](?:alert|status|alertdialog)['"]|role=(?:alert|status)/;

/** Whether a write is to a part of what an answer is of: `/tickets/7/replies` of `/tickets/7`. What it is of itself its own answer may say. */
const isPartOf = (one: Exchange, write: Exchange): boolean =>
  pathOf(one.url) !== "/" && pathOf(write.url).startsWith(`${pathOf(one.url).replace(/\/$/, "")}/`);

/** The names of things that a write was sent with: what a page goes by may be the end of its address. */
const namesOf = ({ run }: Evidence, write: Exchange): string[] =>
  leavesOf(requestBodyOf(write, run)).flatMap(({ value }) =>
    typeof value === "string" && /^[a-z\d][\w-]{3,80}$/i.test(value) ? [value] : [],
  );

const endsWith = (one: Exchange, name: string): boolean => pathOf(one.url).split("/").at(-1) === name;
