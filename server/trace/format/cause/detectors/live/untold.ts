import { isWrite } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { addressOf, isForeign, isTracker, pathOf, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isAsked } from "../page/idle.ts";

/**
 * A page that waits for what another page or the test itself wrote, asks for nothing and has an event stream open: its messages are in no
 * recording, and by them alone the passes' pages came to know of it.
 */
export function detectUntold(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const here = failed.step?.page ?? null;
  const write = here === null ? undefined : lastWriteGoneWell(run, failed.from);
  if (here === null || !write || passes.length === 0 || !isLeftAlone(facts, here, write, failed.to))
    return [];
  const stream = streamOf(facts, here, write);
  if (!stream || isBroken(run, here, write, failed.to)) return [];
  const isUsual = passes.every((pass) => {
    const same = ofSameTurn(write, facts, pass.facts);
    return same?.type === write.type && hasStreamElsewhere(pass.facts, same, stream);
  });
  if (!isUsual) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `The page was not brought up to date after ${requestOf(write, facts)}, which ${write.type === "api" ? "the test itself" : "another page"} sent: it hears of that by the event stream ${addressOf(stream.url, facts)}, over which no message of it came, or none that the page could use${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [write.seq, stream.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.from,
      is_new: true,
      weight: 0.7,
      about: `untold ${pathOf(stream.url)}`,
    },
  ];
}

/** The last write of a page or of the test itself that went well. */
const lastWriteGoneWell = (run: RunEvidence, until: number): Exchange | undefined =>
  run.facts.exchanges.findLast(
    (one) =>
      (one.type === "api" || (one.page !== null && /^(?:xhr|fetch)$/.test(one.type ?? ""))) &&
      one.ts <= until &&
      one.status !== null &&
      !isFailedExchange(one) &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts) &&
      isWrite(one, run),
  );

/** Whether somebody else wrote, and neither the test nor the page itself did anything on this one since. */
const isLeftAlone = (facts: RunFacts, page: string, write: Exchange, until: number): boolean =>
  write.page !== page &&
  !facts.steps.some(
    (step) => step.kind === "agent.action" && step.page === page && step.ts >= write.ts && step.ts <= until,
  ) &&
  !facts.exchanges.some(
    (one) =>
      one.page === page &&
      one.ts >= write.ts &&
      one.ts <= until &&
      isAsked(one, facts) &&
      isFirst(one, facts),
  );

/** Whether a page had not asked so before: what it reads time and again it reads by itself. */
const isFirst = (one: Exchange, { exchanges }: RunFacts): boolean =>
  !exchanges.some((other) => other.ts < one.ts && other.page === one.page && other.url === one.url);

const isStream = ({ type, status, body, size }: Exchange): boolean =>
  type === "eventsource" && status === 200 && !body && !size;

const streamOf = (facts: RunFacts, page: string, write: Exchange): Exchange | undefined =>
  facts.exchanges.findLast((one) => one.page === page && one.ts < write.ts && isStream(one));

/** Whether the page threw an error since, which tells more. */
const isBroken = ({ facts }: RunEvidence, page: string, { ts }: Exchange, until: number): boolean =>
  facts.lines.some(
    (line) => line.source === "page" && line.page === page && line.ts >= ts && line.ts <= until,
  );

const hasStreamElsewhere = ({ exchanges }: RunFacts, write: Exchange, stream: Exchange): boolean =>
  exchanges.some(
    (one) =>
      one.page !== write.page && one.ts < write.ts && isStream(one) && pathOf(one.url) === pathOf(stream.url),
  );
