import { AFTERWARDS_MS, isNew } from "../../compare.ts";
import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { isOfOneThing } from "../../plausibility/one-thing.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isForeign, isTracker, lapse, quotedStep, requestOf } from "../../words.ts";

const MOST = 5;
const ABORTED = /ABORTED|aborted|NS_BINDING|cancell?ed/i;

/** What was sent to be kept, and broken off as the page was left before its answer came. */
export function detectAborted(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  return lastOf(
    facts.exchanges,
    MOST,
    (one) =>
      one.ts <= failed.to &&
      isAborted(one) &&
      isWrite(one, run) &&
      !isTracker(one.url) &&
      !isForeign(one.url, facts),
  ).flatMap((one) => findingOf(evidence, one));
}

/** A form that is sent twice leaves its own page; what a page sends as it goes it need not hear of. */
const isAborted = ({ status, error, type, handled }: Exchange): boolean =>
  status === null &&
  error !== null &&
  ABORTED.test(error) &&
  handled === null &&
  /^(?:xhr|fetch)$/.test(type ?? "");

function findingOf(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes } = evidence;
  const leaver = leaverOf(one, run.facts);
  if (!leaver) return [];
  const key = exchangeKey(one, run.facts);
  const usual = passes.map(({ facts }) => exchangesOf(facts, key));
  const answered = usual[0]?.find(({ status }) => status !== null);
  if (!usual.every((all) => all.some(({ status }) => status !== null && status < 400))) return [];
  const before = answered ? `; in the last pass it was answered with ${answered.status} first` : "";
  return [
    {
      kind: "request_failed",
      title: `${requestOf(one, run.facts)} was aborted before its answer came: ${quotedStep(leaver)} left the page ${lapse(leaver.ts - one.ts)} after it was sent${before}`,
      detail: null,
      step_id: leaver.step_id,
      events: [one.requestSeq ?? one.seq, one.seq, leaver.seq],
      // Alone it matters where it is missed.
      ts: passes.length === 0 ? evidence.failed.from : (one.end ?? one.ts),
      is_new: isNew(evidence, (pass) => exchangesOf(pass.facts, key).some(isAborted)),
      weight:
        passes.length > 0 ? 0.96 : isWanted(one, evidence) ? 0.9 : isReadLater(one, run.facts) ? 0.78 : 0.45,
      about: `aborted ${key}`,
    },
  ];
}

/** Whether the test looks for a value that it would have brought. */
function isWanted(one: Exchange, { run, failed }: Evidence): boolean {
  const wanted = bareOf(failed.expected ?? "");
  const met = failed.received ?? "";
  const isPart = (text: string) => text.length >= SHORTEST && wanted.includes(text) && !met.includes(text);
  return (
    wanted !== "" &&
    leavesOf(requestBodyOf(one, run)).some(
      ({ value }) => String(value) === wanted || (typeof value === "string" && isPart(value)),
    )
  );
}

const SHORTEST = 2;

/** Whether what it would have changed was asked for afterwards. */
const isReadLater = (one: Exchange, facts: RunFacts): boolean =>
  facts.exchanges.some(
    (read) =>
      read.ts > one.ts &&
      read.method === "GET" &&
      /^(?:xhr|fetch|document)$/.test(read.type ?? "") &&
      isOfOneThing(requestOf(one, facts), requestOf(read, facts)),
  );

const LEAVES = /(?:^|\.)(?:goto|reload|goBack|goForward|click|dblclick|tap|press|close)$/;

/** The action that had the page opened anew while the request was on its way. */
function leaverOf({ ts, end, page }: Exchange, { exchanges, steps }: RunFacts): Step | undefined {
  const until = (end ?? ts) + AFTERWARDS_MS;
  const isLeft = exchanges.some(
    (other) => other.type === "document" && other.page === page && other.ts >= ts && other.ts <= until,
  );
  return isLeft
    ? steps.findLast(
        (step) => step.kind === "agent.action" && LEAVES.test(step.name) && step.ts >= ts && step.ts <= until,
      )
    : undefined;
}
