import { wantedOn } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { addressOf, isForeign, isTracker, lapse, pathOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const MOST = 20;
/** Connections of one run that are looked at. */
const MOST_OPENED = 200;
const MARGIN_MS = 500;

/** What a page opens in every pass to hear of news, and never opened here, though the same page came. */
export function detectUnopened(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [newest] = passes;
  if (!newest) return [];
  const opened = passes.map((pass) => openedIn(pass, evidence));
  const mine = new Set(run.facts.exchanges.filter(isLive).map((one) => exchangeKey(one, run.facts)));
  return [...opened[0]!].slice(0, MOST).flatMap(([key, { one, opener, after }]): Finding[] => {
    const isUsual = opened.every((all) => all.has(key));
    if (!isUsual || mine.has(key)) return [];
    const here = exchangesOf(run.facts, exchangeKey(opener, newest.facts)).findLast(
      ({ type, status, ts }) => type === "document" && status === 200 && ts <= failed.to,
    );
    // A page that has just come may open it yet.
    if (!here || here.ts + after + MARGIN_MS > failed.to) return [];
    const script = changedScript(evidence);
    const what = one.type === "websocket" ? "WebSocket" : "event stream";
    return [
      {
        kind: "request_unsent",
        title: `The page ${addressOf(here.url, run.facts)} never opened the ${what} ${addressOf(one.url, newest.facts)}: in the last pass it opened it ${lapse(after)} after it came, and hears by it of what is new${customOf(evidence)}${script === null ? "" : `; ${script.words}`}`,
        detail: null,
        step_id: here.step_id,
        events: [here.seq, ...(script === null ? [] : [script.seq])],
        ts: Math.max(here.ts, failed.from),
        is_new: true,
        weight: 0.8,
        about: `unopened ${pathOf(one.url)}`,
      },
    ];
  });
}

/** That the step looks at an element of the product's own, as a clause: one that no script defines does nothing. */
function customOf(evidence: Evidence): string {
  const elements = evidence.run.page?.elements ?? [];
  const [found] = wantedOn(evidence, elements);
  const own = found && [found, ...aroundOf(elements, found)].find(({ tag }) => CUSTOM.test(tag));
  return own ? `; the step looks at <${own.tag}>, which does nothing unless a script defines it` : "";
}

/** What elements may be called that a product defines itself (HTML, 4.13.3). */
const CUSTOM = /^[a-z][a-z\d]{0,60}-[\w.-]{1,60}$/;

interface Opened {
  one: Exchange;
  /** The page that opened it. */
  opener: Exchange;
  /** How long after it came, in ms. */
  after: number;
}

/** What a pass had opened by the moment of the failed step, by what it is called across runs. */
function openedIn({ facts }: RunEvidence, { run, failed }: Evidence): Map<string, Opened> {
  const until = momentIn(facts, run.facts, failed);
  const opened = new Map<string, Opened>();
  if (until === null) return opened;
  for (const one of facts.exchanges.filter(isLive).slice(0, MOST_OPENED)) {
    const opener = one.ts <= until && !isAside(one, facts) ? openerOf(one, facts) : undefined;
    if (opener) opened.set(exchangeKey(one, facts), { one, opener, after: one.ts - opener.ts });
  }
  return opened;
}

const isLive = ({ type }: Exchange): boolean => type === "eventsource" || type === "websocket";

const isAside = ({ url, error, status }: Exchange, facts: RunFacts): boolean =>
  isTracker(url) || isForeign(url, facts) || (error !== null && status === null);

const openerOf = ({ page, ts }: Exchange, { exchanges }: RunFacts): Exchange | undefined =>
  exchanges.findLast((one) => one.type === "document" && one.page === page && one.ts <= ts);
