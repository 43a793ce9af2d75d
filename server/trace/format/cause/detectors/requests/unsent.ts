import { isNamedByTest } from "../../exchanges/difference-rank.ts";
import { askedIn, CHANGING, isRead, requestBodyOf, SECRET } from "../../exchanges/sent.ts";
import { isOfOneThing } from "../../plausibility/one-thing.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { pageAsked } from "../../run/of-framework.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart, GESTURES, GESTURES_AND_OPENINGS, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { howOften, isForeign, isTracker, lapse, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import {
  addressOf,
  askedByKind,
  askedFor,
  fieldsOf,
  isSentOfAnother,
  toldByFields,
} from "./asked-of-kind.ts";
import { asksForGiven, partAsSaid, renamedPart, requestAsked } from "./given-in-query.ts";

const MOST = 2;
/** The last writes of a pass, of which it is asked whether this run sent them. */
const MOST_WRITES = 200;
const MARGIN_MS = 200;

/** Requests that every pass sent by then and this run did not: where the way parted from theirs. */
export function detectUnsent(evidence: Evidence): Finding[] {
  const missed = firstOfEach([...unsentAfterAction(evidence), ...unsentWrites(evidence)]);
  const script = changedScript(evidence);
  return missed.map((one) => findingOf(evidence, one, script));
}

/** A request of the newest pass that this run lacks. */
interface Missed {
  one: Exchange;
  key: string;
  /** The action of this run after which it went out in the pass, and how long after it. */
  action: Step;
  after: number;
  /** Another tab than that of the action sends it. */
  isOfOtherTab: boolean;
  /** The page was loaded anew since: it shows what the server has. */
  isLoadedAnew: boolean;
  /** Where this run sent the same, but less often: how often it and the pass did. */
  counts?: { mine: number; theirs: number };
  /** What this run asked the same address for. */
  instead?: Exchange | undefined;
}

function findingOf(evidence: Evidence, missed: Missed, script: ReturnType<typeof changedScript>): Finding {
  const { run, passes, failed } = evidence;
  const { one, key, action, after, isOfOtherTab, isLoadedAnew, counts, instead } = missed;
  const when = `in the last pass it went out ${lapse(after)} after ${quotedStep(action)}`;
  const again = isOfOtherTab || counts ? "" : againOf(evidence, missed);
  const how = counts
    ? `was sent ${howOften(counts.mine)} where the last pass sent it ${howOften(counts.theirs)}: there it went out again ${lapse(after)} after ${quotedStep(action)}`
    : again ||
      `was never sent${isOfOtherTab ? ` by the other tab, which no message reached: ${when} in the first` : `: ${when}`}`;
  const write = writeBefore(evidence, missed);
  const isStored = isWrite(one, passes[0]!);
  const besides = [
    ...wantedIn(evidence, one),
    ...(write
      ? [
          `${requestOf(write, run.facts)} had been answered with ${write.status}, so the page may go on with what it knew before`,
        ]
      : []),
    ...(instead ? [`${requestOf(instead, run.facts)} went out in its place${otherPart(one, instead)}`] : []),
    // What a click sends, a script sends.
    ...(script === null ? [] : [script.words]),
  ];
  return {
    kind: "request_unsent",
    title: [
      `${requestMissed(evidence, one, key)}${toldByFields(one, key, passes[0]!, run)} ${how}`,
      ...besides,
    ].join("; "),
    detail: isOfOtherTab ? OTHER_TAB : null,
    step_id: action.step_id,
    events: [
      action.seq,
      ...(write ? [write.seq] : []),
      ...(instead ? [instead.requestSeq ?? instead.seq] : []),
      ...(failed.step ? [failed.step.seq] : []),
      ...(script === null ? [] : [script.seq]),
    ],
    ts: action.end,
    is_new: true,
    weight:
      isOfOtherTab || isLoadedAnew
        ? 0.86
        : write
          ? 0.82
          : isAsset(one)
            ? 0.4
            : !isStored && isAskedBy(missed, passes[0]!)
              ? 0.88
              : CHANGING.has(one.method)
                ? 0.68
                : 0.56,
    about: `unsent ${key}`,
    ...(isOfOtherTab && { isOfOtherTab }),
    ...(isStored && { lacked: fieldsOf(one, passes[0]!) }),
  };
}

/** A request by its address, and by what it asks for that this run did not when it asked there last. */
function requestMissed({ run, passes, failed }: Evidence, one: Exchange, key: string): string {
  const { facts } = passes[0]!;
  const before = run.facts.exchanges.findLast(
    (other) => other.ts <= failed.to && addressOf(other) === addressOf(one),
  );
  const here = addressHere(key, run.facts, facts);
  return (
    requestAsked(one, before, facts) ??
    (here === null ? requestOf(one, facts) : requestOf({ ...one, url: here }, run.facts))
  );
}

/** The one address that a run asks by a name for which the pass has another one, as things have ids that each run makes for itself; null where either has several. */
function addressHere(key: string, run: RunFacts, pass: RunFacts): string | null {
  const [mine, theirs] = [run, pass].map((facts) => [
    ...new Set(exchangesOf(facts, key).map(({ url }) => url)),
  ]) as [string[], string[]];
  return mine.length === 1 && theirs.length === 1 && mine[0] !== theirs[0] ? mine[0]! : null;
}

/** Under which other name what went out in the place of a question has the same value, as a clause. */
function otherPart(one: Exchange, instead: Exchange): string {
  const part = renamedPart(one, instead);
  return part ? `, with ${partAsSaid(part.now)} where the last pass had ${partAsSaid(part.before)}` : "";
}

/** Whether the action itself is a question: it gave what is asked for, or led back to the page that asks. */
const isAskedBy = ({ one, action, instead }: Missed, pass: RunEvidence): boolean =>
  instead
    ? renamedPart(one, instead) !== null
    : GOES_BACK.test(action.name) || asksForGiven(one, action, pass);

/** How often a read was sent that was not sent again, here and in the newest pass, as what follows its name; empty where it never was. */
function againOf({ run, passes, failed }: Evidence, { one, key, action, after }: Missed): string {
  const { facts } = passes[0]!;
  const end = momentIn(facts, run.facts, failed) ?? Number.POSITIVE_INFINITY;
  const asked = wordsOf(one, passes[0]!);
  const countIn = (of: RunEvidence, until: number) =>
    exchangesOf(of.facts, key).filter((other) => other.ts <= until && wordsOf(other, of) === asked).length;
  const [mine, theirs] = [countIn(run, failed.to), countIn(passes[0]!, end)];
  return !isRead(one, passes[0]!) || mine === 0 || mine >= theirs
    ? ""
    : `was never sent again: it was sent ${howOften(mine)}, where the last pass sent it ${howOften(theirs)}, again ${lapse(after)} after ${quotedStep(action)}`;
}

/** What a question asks for, to the letter; where one address answers everything its body says so. */
const wordsOf = (one: Exchange, run: RunEvidence): string =>
  CHANGING.has(one.method) ? `${askedFor(one)} ${askedIn(one, run)}` : askedFor(one);

/** What the pass sent with a write that the test looks for here, as a clause. */
function wantedIn(evidence: Evidence, one: Exchange): string[] {
  if (!isWrite(one, evidence.passes[0]!)) return [];
  const wanted = leavesOf(requestBodyOf(one, evidence.passes[0]!)).find(
    ({ path, value }) =>
      typeof value === "string" &&
      value.length > 2 &&
      !SECRET.test(path) &&
      !OF_OPERATION.test(path) &&
      isNamedByTest([value], evidence),
  );
  return wanted
    ? [`it had ${quoted(String(wanted.value), 60)} for ${quoted(wanted.path, 60)}, which the test looks for`]
    : [];
}

/** What a question to an address for all is, and not what it is about. */
const OF_OPERATION = /^(?:operationName|query|method)$/;

/** What an action sent of the same thing, to be kept: what is not asked for again after that shows the former state. */
function writeBefore({ run, passes, failed }: Evidence, { one, action }: Missed): Exchange | undefined {
  const { facts } = run;
  if (!isRead(one, passes[0]!)) return undefined;
  const read = requestOf(one, facts);
  return facts.exchanges.findLast(
    (sent) =>
      isWrite(sent, run) &&
      sent.status !== null &&
      sent.status < 300 &&
      sent.ts >= action.ts - 5 &&
      sent.ts <= failed.to &&
      isOfOneThing(requestOf(sent, facts), read),
  );
}

const OTHER_TAB =
  "Tabs tell each other over a BroadcastChannel, the storage, a worker or the server; what they say is in no recording.";

/** What the last action before an assertion sends in every pass. */
function unsentAfterAction(evidence: Evidence): Missed[] {
  const { run, passes } = evidence;
  const action = actionToLookOn(evidence);
  if (!action || passes.length === 0) return [];
  const tabs = tabsOf(run.facts);
  const other = (one: Exchange, tabs: Map<string, number>, of: Step) =>
    tabs.size > 1 && one.page !== null && of.page !== null && one.page !== of.page
      ? tabs.get(one.page)!
      : null;
  const later = run.facts.exchanges.filter(({ ts }) => ts >= action.ts - 5);
  const words = new Set(later.map(askedFor));
  const kinds = askedByKind(later, run);
  const sent = countsOf(later.map((one) => exchangeKey(one, run.facts)));
  const sentByTabs = countsOf(
    later.map((one) => `${other(one, tabs, action)} ${exchangeKey(one, run.facts)}`),
  );
  const isAskedOtherwise = (one: Exchange, key: string) =>
    later.some((other) => exchangeKey(other, run.facts) !== key && asksForSamePage(other, one));
  const usual = passes.map((pass) => {
    const theirs = tabsOf(pass.facts);
    const all = sentAfter(evidence, action, pass).map(({ mine, ...one }) => ({
      ...one,
      tab: tabs.size === theirs.size ? other(one.one, theirs, mine) : null,
    }));
    return {
      counts: countsOf(all.map(({ key }) => key)),
      byTabs: countsOf(all.map(({ key, tab }) => `${tab} ${key}`)),
      words: new Set(all.map(({ one }) => askedFor(one))),
      all,
    };
  });
  const missed = usual[0]!.all.flatMap(({ one, key, after, tab }): Missed[] => {
    const count = sent.get(key) ?? 0;
    const byTab = `${tab} ${key}`;
    const isOfOtherTab =
      tab !== null &&
      (sentByTabs.get(byTab) ?? 0) === 0 &&
      usual.every(({ byTabs }) => (byTabs.get(byTab) ?? 0) > 0);
    // The next page of a list is another request to the same address: what every pass asked for in these very words.
    const isMissed =
      usual.every(({ counts }) => (counts.get(key) ?? 0) > count) &&
      (count === 0 || (!words.has(askedFor(one)) && usual.every((pass) => pass.words.has(askedFor(one))))) &&
      !isKept(one, key, run.facts) &&
      !isAskedOtherwise(one, key) &&
      !isSentBefore(evidence, one, key);
    const isSent = !isMissed || (CHANGING.has(one.method) && isSentOfAnother(one, passes[0]!, kinds, action));
    return isOfOtherTab || !isSent ? [{ one, key, action, after, isOfOtherTab, isLoadedAnew: false }] : [];
  });
  const isNew = (asked: Exchange) => usual.every((pass) => !pass.words.has(askedFor(asked)));
  return firstOfEach(missed).map((one) =>
    one.isOfOtherTab
      ? one
      : { ...one, instead: later.find((asked) => addressOf(asked) === addressOf(one.one) && isNew(asked)) },
  );
}

/** Whether a page is loaded, or its data alone: a link may be followed before the page's scripts are there to do that. */
const asksForSamePage = (one: Exchange, other: Exchange): boolean =>
  one.method === "GET" &&
  other.method === "GET" &&
  [one, other].some(({ type }) => type === "document") &&
  askedFor({ ...one, url: pageAsked(one.url) }) === askedFor({ ...other, url: pageAsked(other.url) });

/** Whether a read went out here as often as in the newest pass: a page that loads may ask for it before an action or after it. */
function isSentBefore({ run, passes, failed }: Evidence, one: Exchange, key: string): boolean {
  const { facts } = passes[0]!;
  const end = momentIn(facts, run.facts, failed) ?? failed.to;
  const asked = wordsOf(one, passes[0]!);
  const sentBy = (of: RunEvidence, until: number) =>
    exchangesOf(of.facts, key).filter(
      (other) => other.ts <= until && other.url === one.url && wordsOf(other, of) === asked,
    ).length;
  return isRead(one, passes[0]!) && sentBy(run, failed.to) >= sentBy(passes[0]!, end);
}

/** Files of which browsers keep copies, so that they ask for them or not. */
const isAsset = ({ type, url }: Exchange): boolean =>
  /^(?:script|stylesheet|font|image)$/.test(type ?? "") ||
  /\.(?:m?js|css|woff2?|ttf|otf|png|jpe?g|gif|webp|avif|svg|ico)$/i.test(pathOf(url));

/** Whether it is a file that the run had got before. */
const isKept = (one: Exchange, key: string, facts: RunFacts): boolean =>
  isAsset(one) && exchangesOf(facts, key).length > 0;

/** As many as are told, one of each name. */
const firstOfEach = (missed: readonly Missed[]): Missed[] => {
  const byKey = new Map<string, Missed>();
  for (const one of missed) if (!byKey.has(one.key)) byKey.set(one.key, one);
  return [...byKey.values()].slice(0, MOST);
};

/** The pages of a run, in the order in which they came. */
function tabsOf({ exchanges }: RunFacts): Map<string, number> {
  const tabs = new Map<string, number>();
  for (const { page, type } of exchanges)
    if (page !== null && type === "document" && !tabs.has(page)) tabs.set(page, tabs.size);
  return tabs;
}

/**
 * What every pass sent to be kept before the failed step, whatever came in between, and this run did not, though it
 * did what they sent it for: a page that is loaded anew then shows the former state.
 */
function unsentWrites(evidence: Evidence): Missed[] {
  const { run, passes } = evidence;
  const [newest] = passes;
  if (!newest) return [];
  const writesHere = run.facts.exchanges.filter((one) => isWrite(one, run));
  const sent = countsOf(writesHere.map((one) => exchangeKey(one, run.facts)));
  const refused = new Set(writesHere.filter(isFailedExchange).map((one) => exchangeKey(one, run.facts)));
  const usual = passes.map((pass) => {
    const end = momentIn(pass.facts, run.facts, evidence.failed);
    return pass.facts.exchanges.filter(
      (one) => end !== null && one.ts <= end && isWrite(one, pass) && isTelling(one, pass.facts),
    );
  });
  const counts = usual.map((all, at) => countsOf(all.map((one) => exchangeKey(one, passes[at]!.facts))));
  const kinds = askedByKind(run.facts.exchanges, run);
  const said = new Set(writesHere.map((one) => writtenIn(one, run)));
  const isSaid = (one: Exchange) => said.has(writtenIn(one, newest));
  const writes = (usual[0] ?? []).slice(-MOST_WRITES);
  const unsaid = new Set(writes.filter((one) => !isSaid(one)).map((one) => exchangeKey(one, newest.facts)));
  return writes.flatMap((one): Missed[] => {
    const key = exchangeKey(one, newest.facts);
    if (!counts.every((of) => (of.get(key) ?? 0) > (sent.get(key) ?? 0))) return [];
    // Of several to one address what this run sent in the same words is not the one that it lacks.
    if (unsaid.has(key) && isSaid(one)) return [];
    // What goes out one after another does not go on behind what was refused.
    if (isSaid(one) && refused.has(key)) return [];
    const gesture = newest.facts.steps.findLast(
      (step) => step.kind === "agent.action" && GESTURES.test(step.name) && step.ts <= one.ts + 5,
    );
    const action = gesture ? counterpart(newest.facts, gesture, run.facts) : null;
    if (!gesture || !action || action.isFailed || action.end > evidence.failed.from + 5) return [];
    const isLoadedAnew = run.facts.exchanges.some(
      ({ type, ts, page }) =>
        type === "document" && ts > action.end && ts <= evidence.failed.to && page === action.page,
    );
    if (isSentOfAnother(one, newest, kinds, action)) return [];
    const after = Math.max(0, one.ts - gesture.ts);
    // What is sent a while after the typing may still have been on its way.
    if (action.ts + after + MARGIN_MS > evidence.failed.to) return [];
    const mine = isSaid(one) ? (sent.get(key) ?? 0) : 0;
    const turn = (usual[0] ?? []).filter((other) => exchangeKey(other, newest.facts) === key).indexOf(one);
    // Those that went out came first.
    if (turn < mine) return [];
    return [
      {
        ...{ one, key, action, after, isOfOtherTab: false, isLoadedAnew },
        ...(mine > 0 && { counts: { mine, theirs: counts[0]!.get(key)! } }),
      },
    ];
  });
}

/** A write to the letter, as it is called across runs. */
const writtenIn = (one: Exchange, run: RunEvidence): string =>
  `${exchangeKey(one, run.facts)} ${JSON.stringify(run.facts.normaliser.json(requestBodyOf(one, run) ?? null))}`;

const isWrite = (one: Exchange, run: RunEvidence) =>
  CHANGING.has(one.method) && one.type !== "api" && !isRead(one, run);

/** The last action before the failed step, when that one only looks on. */
export function actionToLookOn({ run, failed }: Evidence): Step | null {
  return failed.step?.kind === "assertion" ? actionBefore(run.facts, failed, ASKING) : null;
}

const GOES_BACK = /(?:^|\.)go(?:Back|Forward)$/;

/** What makes a page ask. */
const ASKING = new RegExp(`${GESTURES_AND_OPENINGS.source}|${GOES_BACK.source}`, "i");

/** What a pass sent from that action on, until its assertion was content, in order. */
function sentAfter(
  evidence: Evidence,
  action: Step,
  { facts }: RunEvidence,
): { one: Exchange; key: string; after: number; mine: Step }[] {
  const mine = counterpart(evidence.run.facts, action, facts);
  const end = mine && momentIn(facts, evidence.run.facts, evidence.failed);
  if (!mine || end === null) return [];
  return facts.exchanges
    .filter((one) => one.ts >= mine.ts - 5 && one.ts <= end && isTelling(one, facts))
    .map((one) => ({ one, key: exchangeKey(one, facts), after: Math.max(0, one.ts - mine.ts), mine }));
}

function countsOf(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const isTelling = (one: Exchange, facts: RunFacts) =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  !isPolling(one) &&
  !isForeign(one.url, facts);
