import { oneLine } from "../../error-text.ts";
import { isWatching } from "../alone/beside.ts";
import { FOR_RENEWAL } from "../exchanges/cookie-terms.ts";
import { CHANGING, isWrite } from "../exchanges/sent.ts";
import type { SeenElement } from "../page/page-view.ts";
import { targetOf } from "../page/target.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { CauseKind, Evidence, Finding, RunEvidence } from "../types.ts";
import { bodyOf, pathOf, TROUBLE } from "../words.ts";
import { lastTakenWrite } from "./alone-answers.ts";
import { all, lessBy, type Rule } from "./rule.ts";
import { isSpokenOf } from "./spoken-of.ts";
import { isThrownOver } from "./unparsed.ts";
import {
  BESIDE,
  BLOCKED_DECORATION,
  DECORATION,
  OPERATION,
  PROBE,
  RENEWS,
  SANDBOX,
  UNPARSED,
  WAITS_BY_DESIGN,
} from "./words.ts";

/** What may be noise that is always there. */
const UNCERTAIN = new Set<CauseKind>([
  "request_failed",
  "request_pending",
  "console_error",
  "page_error",
  "script_failed",
]);

/**
 * Without a pass, what happened before an action that went well, or time and again, has most likely nothing to do with the
 * failure; nor has what products do beside what they are for. A script that never parsed, or whose lack a page threw over,
 * is missed for as long as the page stands.
 */
const unlikely: Rule = (finding, scene) => {
  const { earlier, settled, news, thrown, evidence } = scene;
  const { kind, title, ts, is_new, isOwn } = finding;
  if (is_new !== null || !UNCERTAIN.has(kind) || UNPARSED.test(title)) return null;
  // What the page says when the step gives up is not over.
  const isStillSaid = kind === "request_failed" && news.some((one) => isSaidBy(one, finding));
  const isMissed = finding === scene.lostScript && scene.isLostScriptMissed;
  const isBefore =
    !isStillSaid &&
    !isMissed &&
    (earlier.has(title) || (ts !== null && settled !== null && ts < settled - 100));
  // Whatever it is called, the page read it.
  const isBeside = BESIDE.test(title) && !isThrownOver(finding, thrown, evidence);
  return all(
    // What is both is noise, as far as one run can tell.
    ...(isBefore ? [lessBy(isBeside ? 0.5 : 0.75)] : []),
    ...(isBeside ? [lessBy(0.5)] : []),
    ...(kind === "request_pending" && WAITS_BY_DESIGN.test(title) ? [lessBy(0.25)] : []),
    ...(isOwn === false ? [lessBy(0.7)] : []),
    ...(DECORATION.test(title) || PROBE.test(title) ? [lessBy(0.25)] : []),
  );
};

/** Whether a page says what a request of its own was refused with. */
export function isSaidBy({ kind, about }: Finding, refused: Finding): boolean {
  if (kind !== "page_message" || refused.kind !== "request_failed" || refused.isOwn === false) return false;
  const said = about?.startsWith("text ") ? about.slice(5) : "";
  return said.length >= SHORTEST_SAID && refused.title.includes(said);
}

const SHORTEST_SAID = 8;

/** Without a pass, a request that was refused and answered well afterwards is over: products ask who they are before anybody has signed in. */
const mended: Rule = (finding, { evidence }) =>
  finding.is_new === null && finding.kind === "request_failed" && isMended(finding, evidence)
    ? lessBy(0.4)
    : null;

function isMended({ events }: Finding, { run: { facts }, failed }: Evidence): boolean {
  const one = facts.exchanges.find(({ seq }) => seq === events[0]);
  return (
    one !== undefined &&
    exchangesOf(facts, exchangeKey(one, facts)).some(
      (later) =>
        later.ts > one.ts &&
        later.status !== null &&
        !isFailedExchange(later) &&
        (later.end ?? later.ts) <
          (one.method === "GET" ? Math.max(failed.from, failed.to - DRAWN_MS) : failed.from),
    )
  );
}

/** A page needs no longer to show what it asked for again by itself while the step waited. */
const DRAWN_MS = 500;

/** Without a pass, who was nobody yet is somebody since signing in: products ask so before it. */
const beforeSignIn: Rule = ({ kind, status, is_new, events, title, ts }, { evidence: { run } }) => {
  const isSocket = kind === "websocket_closed" && title.includes("HTTP Authentication failed");
  if (is_new !== null || !(isSocket || (kind === "request_failed" && status === 401))) return null;
  const { exchanges } = run.facts;
  const refused = exchanges.find(({ seq }) => seq === events[0]);
  const end = refused ? (refused.end ?? refused.ts) : isSocket ? ts : null;
  const isIn = (one: Exchange) =>
    one.ts >= end! && CHANGING.has(one.method) && isAccepted(one) && SIGNS_IN.test(one.url);
  // What asks for a new token changes nothing, whatever its method.
  const isWrite =
    refused !== undefined && CHANGING.has(refused.method) && !FOR_RENEWAL.test(pathOf(refused.url));
  return end !== null && !isWrite && exchanges.some(isIn) ? lessBy(0.3) : null;
};

const isAccepted = ({ status }: Exchange): boolean => status !== null && status < 400;
const SIGNS_IN = /(?:log|sign)[-_]?in|\bsessions?\b|\bauth\w*|\btoken\b/i;

/** Without a pass, what became of an operation that only counts or watches: as of an address that does. */
const watching: Rule = ({ title, is_new }) => {
  const operation = is_new === null ? OPERATION.exec(title)?.[1] : undefined;
  return operation !== undefined && isWatching(operation)
    ? (told) => ({ ...told, isOwn: false, weight: Math.min(told.weight, WATCHED) })
    : null;
};

const WATCHED = 0.4;

/** Without a pass, what a page says after a write that was taken, and that is no complaint, confirms it. */
const confirming: Rule = ({ kind, title, is_new, about, isDialog }, { evidence }) =>
  kind === "page_message" &&
  is_new === null &&
  !isDialog &&
  about?.startsWith("text ") === true &&
  !TROUBLE.test(title) &&
  lastTakenWrite(evidence) !== undefined
    ? lessBy(0.3)
    : null;

/** Without a pass, a live region that says again how the page is headed reads out where it is, and complains of nothing. */
const readOut: Rule = ({ kind, is_new, about, title }, { evidence: { run } }) =>
  kind === "page_message" &&
  is_new === null &&
  about?.startsWith("text ") === true &&
  !TROUBLE.test(title) &&
  isHeading(about.slice(5), run.page?.elements ?? [])
    ? lessBy(0.3)
    : null;

/** Whether a text is how a page is headed, or how it calls its site. */
const isHeading = (text: string, elements: readonly SeenElement[]): boolean =>
  elements.some(
    ({ tag, own, role, isHidden, attributes }) =>
      !isHidden &&
      !LIVE.test(`${role} ${attributes["aria-live"] ?? ""}`) &&
      /^(?:h1|strong|title|a)$/.test(tag) &&
      oneLine(own) === text,
  );

const LIVE = /\balert|\bstatus|\blog\b|assertive|polite/;

/** Without a pass: a picture or a font that the browser blocked decks a page, and changes no behaviour. */
const undecked: Rule = ({ kind, title, detail, is_new }) =>
  is_new === null &&
  (kind === "browser_policy" || kind === "console_error") &&
  BLOCKED_DECORATION.test(`${detail ?? ""}\n${title}`)
    ? lessBy(0.2)
    : null;

/** Without a pass: pages leave connections, and shut frames in, whatever the test does. */
const usual: Rule = ({ kind, title, is_new, withoutCode }, { evidence }) => {
  if (is_new !== null) return null;
  if (withoutCode === "untold") return lessBy(0.9);
  const isShut = (kind === "browser_policy" || kind === "console_error") && SANDBOX.test(title);
  return isShut && !isInFrames(evidence) ? lessBy(0.25) : null;
};

/** Whether the test looks into a frame, or did something there: then what shuts frames in matters. */
function isInFrames(evidence: Evidence): boolean {
  const acted = lastOf(evidence.run.facts.steps, MOST_IN_FRAMES, ({ kind }) => kind === "agent.action");
  return [targetOf(evidence), ...acted.map(({ title }) => title)].some((text) =>
    /contentFrame\(|frameLocator\(/.test(text),
  );
}

const MOST_IN_FRAMES = 20;

/** Without a pass, a list without items that nothing was asked of since says nothing of what came after. */
const emptyLists: Rule = ({ kind, isEmptyList, ts, is_new }, { settled }) =>
  is_new === null && kind === "answer_changed" && isEmptyList && settled !== null && (ts ?? 0) < settled - 100
    ? lessBy(0.6)
    : null;

/** Without a pass, a list that had no items before the last action either, and that nothing was written to since. */
const emptyBefore: Rule = ({ kind, isEmptyList, is_new, events, ts }, { settled, evidence: { run } }) => {
  if (is_new !== null || kind !== "answer_changed" || !isEmptyList || settled === null) return null;
  const { facts } = run;
  const one = facts.exchanges.find(({ seq }) => seq === events[0]);
  if (!one || (ts ?? 0) < settled - 100) return null;
  const before = exchangesOf(facts, exchangeKey(one, facts)).findLast(
    ({ url, end }) => url === one.url && end !== null && end <= settled,
  );
  const isWrittenTo = (other: Exchange) =>
    isWrite(other, run) &&
    other.ts >= before!.ts &&
    other.ts <= one.ts &&
    pathOf(other.url).startsWith(pathOf(one.url));
  return before && isSameBody(before, one, run) && !facts.exchanges.some(isWrittenTo) ? lessBy(0.6) : null;
};

const isSameBody = (before: Exchange, one: Exchange, { bodies }: RunEvidence): boolean =>
  (bodyOf(before, bodies) ?? null) === (bodyOf(one, bodies) ?? "");

/**
 * Without a pass, one of several lists without items, of which nothing near the failure speaks; so is one of news, that nobody
 * asked for, and one beside an answer that says why a page leaves something out.
 */
const strangeLists: Rule = ({ kind, isEmptyList, is_new, events, about, title }, { evidence, news }) => {
  if (is_new !== null || kind !== "answer_changed" || !isEmptyList) return null;
  const isOneOfSeveral = news.some((one) => one.isEmptyList && one.about !== about);
  const isBesideSwitch = news.some((one) => one.isSwitchOff && one.weight >= SWITCHED_OFF);
  if (!isOneOfSeveral && !isBesideSwitch && !WAITS_BY_DESIGN.test(title)) return null;
  const one = evidence.run.facts.exchanges.find(({ seq }) => seq === events[0]);
  // What says why something is left out has the word, unless the step itself looks for what is listed.
  return one && isSpokenOf(one, evidence, isBesideSwitch ? "by the step" : "near it") === false
    ? lessBy(0.5)
    : null;
};

const SWITCHED_OFF = 0.6;

/** Without a pass, as many things as the test met a list of news has by chance, of which nothing near the failure speaks. */
const strangeCounts: Rule = ({ kind, is_new, title, events }, { evidence }) => {
  if (is_new !== null || kind !== "answer_changed" || !COUNTED.test(title) || !WAITS_BY_DESIGN.test(title))
    return null;
  const one = evidence.run.facts.exchanges.find(({ seq }) => seq === events[0]);
  return one && isSpokenOf(one, evidence, "near it") === false ? lessBy(0.2) : null;
};

const COUNTED = /, as many as the test met; it wants |: left there before$/;

/** Without a pass, what products send again by themselves was not sent once too often by anybody. */
const renewals: Rule = ({ title, is_new, isTwice }) =>
  is_new === null && isTwice && RENEWS.test(title) ? lessBy(0.6) : null;

/** Without a pass, what the test's own scripts threw is a matter of the test, and there whenever it runs. */
const injected: Rule = ({ isInjected, is_new }) => (isInjected && is_new === null ? lessBy(0.2) : null);

/** Without a pass, a download that the test waited for, and had, is no news. */
const awaitedDownload: Rule = ({ kind, is_new, ts, weight }, { evidence: { run } }) =>
  kind === "download" &&
  is_new === null &&
  weight <= AWAITED &&
  run.facts.steps.some(
    (step) =>
      /waitForEvent|Wait for event/i.test(`${step.name} ${step.title}`) &&
      /download/i.test(`${step.title} ${String(step.params.event ?? "")}`) &&
      !step.isFailed &&
      step.ts <= (ts ?? 0) + 50 &&
      step.end >= (ts ?? 0) - 50,
  )
    ? lessBy(0.25)
    : null;

/** What is known of a download beside that it was one weighs more. */
const AWAITED = 0.8;

/** What is there whatever the test does, as far as one run can tell: it ranks lower where there is no pass to compare with. */
export const ALONE_NOISE: readonly Rule[] = [
  unlikely,
  mended,
  beforeSignIn,
  watching,
  confirming,
  readOut,
  undecked,
  usual,
  emptyLists,
  emptyBefore,
  strangeLists,
  strangeCounts,
  renewals,
  injected,
  awaitedDownload,
];
