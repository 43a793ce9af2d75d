import { oneLine } from "../../../error-text.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { bringsNothing } from "../requests/brings-nothing.ts";

const MOST_ASKED = 200;

/**
 * An event stream that was opened as in every pass, while the page still says what it was served with and no pass says by
 * then. What streams bring is in no recording: that text is all that tells of it.
 */
export function detectSilentStream(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const opened = openedOn(run, failed.from);
  if (!opened || !run.page || passes.length === 0 || isBroken(evidence, opened)) return [];
  const { stream, served } = opened;
  const theirs = passes.map((pass) => openedLike(opened, run, pass));
  if (theirs.some((one) => one === null) || isMissed(opened, run, passes[0]!, theirs[0]!)) return [];
  const isServedThere = (text: string) => theirs.every((one) => one!.served.has(text));
  const gone = new Set(passes.flatMap((pass) => [...shownOn(pass)]));
  const still = [...shownOn(run)].find(
    (text) => /\p{L}{3}/u.test(text) && served.has(text) && isServedThere(text) && !gone.has(text),
  );
  if (still === undefined) return [];
  return [
    {
      kind: "stream_ended",
      title: `The event stream ${requestOf(stream, run.facts)} was opened (${stream.status}) and brought nothing that the page shows: it still says ${quoted(still, 60)}, as it was served, where each pass had gone on by then`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [stream.seq, run.page.shot.seq],
      ts: failed.from,
      is_new: true,
      weight: 0.86,
      about: `silent ${pathOf(stream.url)}`,
      isSilent: true,
    },
  ];
}

/** A stream that stays open, with the page that opened it and the texts that this was served with. */
interface Opened {
  stream: Exchange;
  document: Exchange;
  served: ReadonlySet<string>;
}

function openedOn(run: RunEvidence, until: number): Opened | null {
  const { facts, page } = run;
  const here = page?.shot.page ?? null;
  const stream = facts.exchanges.findLast((one) => one.page === here && one.ts <= until && isOpen(one));
  return here === null || !stream ? null : withDocument(stream, run);
}

function withDocument(stream: Exchange, { facts, bodies }: RunEvidence): Opened | null {
  const document = facts.exchanges.findLast(
    ({ type, page, ts, status }) =>
      type === "document" && page === stream.page && ts <= stream.ts && status === 200,
  );
  const body = document && bodyOf(document, bodies);
  return document && body !== undefined ? { stream, document, served: new Set(textsOf(body)) } : null;
}

function openedLike({ stream, document }: Opened, { facts }: RunEvidence, pass: RunEvidence): Opened | null {
  const other = exchangesOf(pass.facts, exchangeKey(stream, facts)).findLast(isOpen);
  const opened = other ? withDocument(other, pass) : null;
  const [mine, theirs] = [exchangeKey(document, facts), opened && exchangeKey(opened.document, pass.facts)];
  return mine === theirs && pass.page !== null && pass.page.shot.page === other?.page ? opened : null;
}

const isOpen = ({ type, status, body, size }: Exchange): boolean =>
  type === "eventsource" && status === 200 && !body && !size;

const shownOn = ({ page }: RunEvidence): Set<string> =>
  new Set(page?.elements.flatMap(({ own, isHidden }) => (isHidden ? [] : [oneLine(own)])) ?? []);

const askedBy = ({ exchanges }: RunFacts, { document }: Opened): Exchange[] =>
  exchanges
    .filter(
      ({ page, ts, type }) =>
        page === document.page && ts >= document.ts && /^(?:xhr|fetch)$/.test(type ?? ""),
    )
    .slice(0, MOST_ASKED);

/** Whether the page threw an error, or anything that it asked for went wrong: then that tells more. */
const isBroken = (evidence: Evidence, opened: Opened): boolean => {
  const { facts } = evidence.run;
  const { page, ts } = opened.document;
  return (
    facts.lines.some((line) => line.source === "page" && line.page === page && line.ts >= ts) ||
    askedBy(facts, opened).some(
      (one) =>
        (one.status === null || isFailedExchange(one)) &&
        !isTracker(one.url) &&
        !bringsNothing(evidence, one),
    )
  );
};

/** Whether a pass asked for something on that page that this run did not. */
const isMissed = (opened: Opened, run: RunEvidence, pass: RunEvidence, theirs: Opened): boolean => {
  const asked = new Set(askedBy(run.facts, opened).map((one) => exchangeKey(one, run.facts)));
  return askedBy(pass.facts, theirs).some((one) => !asked.has(exchangeKey(one, pass.facts)));
};
