import { actionBefore } from "../run/select.ts";
import type { CauseKind, Evidence, Finding } from "../types.ts";
import { explainsBy, isStyleSheet } from "./styles.ts";
import { LACKS } from "./words.ts";

/** What the findings of one failure say together: looked up once, asked by every rule. */
export interface Scene {
  evidence: Evidence;
  /** What no pass is known to have. */
  news: readonly Finding[];
  /** When the last action before the failure went well, epoch ms. */
  settled: number | null;
  /** Titles of what was found before that moment too. */
  earlier: ReadonlySet<string>;
  /** A script that did not load, and whether an error says that what it brings is missing. */
  lostScript: Finding | undefined;
  isLostScriptMissed: boolean;
  /** An error that the page's own scripts threw. */
  thrown: Finding | undefined;
  /** The answer whose value of another kind the page threw it over. */
  misread: Finding | undefined;
  /** An answer said nothing right before the page threw. */
  isEmptyAnswer: boolean;
  /** A changed style sheet with a rule that explains what befell an element. */
  restyled: Finding | undefined;
  /** Something near the failure explains why an element is missing. */
  isExplained: boolean;
  /** An answer changed, surely; or well enough to explain what the page has or lacks; or to a list without items. */
  isAnswered: boolean;
  isSwitched: boolean;
  isEmptied: boolean;
  /** The page or its console said something new; the page told the person. */
  isSaid: boolean;
  isTold: boolean;
  /** What a changed page asked for was refused. */
  isRefused: boolean;
  /** The markup that was served is another one. */
  isRemade: boolean;
  /** What went into another field than its label leads to. */
  astray: readonly Finding[];
  /** The test gave the page something else than in its passes. */
  isGivenOtherwise: boolean;
  /** Answers came after the page was recorded that the step looked at. */
  isPageOld: boolean;
}

/** What makes an element be missing or another one stand in its place. */
export const CAUSES = new Set<CauseKind>([
  "request_failed",
  "request_pending",
  "slow",
  "script_failed",
  "page_error",
  "page_message",
  "browser_policy",
  "redirected",
  "dialog",
  "crash",
]);
const REFUSED = new Set<CauseKind>(["request_failed", "browser_policy", "script_failed"]);
const STRONG = 0.7;
/** A framework catches what the page's own scripts throw, and logs it by its name; without a pass it may be noise that is always there. */
const CAUGHT =
  /\b(?:Type|Reference|Range)Error: (?=.*(?:of (?:null|undefined)|is not (?:a function|iterable|defined)|invalid))/i;
/** From here on a changed answer explains what the page has or lacks. */
const SWITCHED = 0.72;
/** An error may be noted this long before the answer that led to it, ms: on a busy machine the network is told of late. */
const AT_ONCE_MS = 300;

/** @param findings of one failure, as the detectors weigh them */
export function sceneOf(findings: readonly Finding[], evidence: Evidence): Scene {
  const news = findings.filter(({ is_new }) => is_new !== false);
  const some = (holds: (one: Finding) => boolean) => news.some(holds);
  const isNew = ({ is_new }: Finding) => is_new === true;
  const lostScript = news.find(
    ({ kind, title, weight }) =>
      kind === "script_failed" && weight >= STRONG && !title.includes("style sheet"),
  );
  const thrown =
    news.find(({ kind, weight, isInjected }) => kind === "page_error" && weight >= STRONG && !isInjected) ??
    news.find(
      (one) => one.kind === "console_error" && isNew(one) && one.weight >= STRONG && CAUGHT.test(one.title),
    );
  const settled = actionBefore(evidence.run.facts, evidence.failed)?.ts ?? null;
  const isAnswer = ({ kind }: Finding) => kind === "answer_changed" || kind === "stale_answer";
  return {
    evidence,
    news,
    settled,
    earlier: foundBefore(findings, settled),
    lostScript,
    isLostScriptMissed: lostScript !== undefined && some((one) => isEchoOf(one, lostScript)),
    thrown,
    misread:
      thrown && news.find(({ isMisread, ts }) => isMisread && (ts ?? 0) <= (thrown.ts ?? 0) + AT_ONCE_MS),
    isEmptyAnswer: some(
      (one) =>
        isAnswer(one) &&
        isNew(one) &&
        one.isNothing === true &&
        thrown?.ts != null &&
        one.ts !== null &&
        one.ts <= thrown.ts + AT_ONCE_MS,
    ),
    restyled: news.find(
      (one) => isStyleSheet(one) && one.weight >= 0.6 && some(({ kind }) => explainsBy(one, kind)),
    ),
    isExplained: some(
      (one) =>
        CAUSES.has(one.kind) &&
        one.isOwn !== false &&
        one.weight >= STRONG &&
        isNew(one) &&
        (one.ts ?? 0) >= evidence.failed.from - 8_000,
    ),
    isAnswered: some((one) => isAnswer(one) && one.weight >= (one.is_new === null ? 0.8 : 0.85)),
    isSwitched: some((one) => isAnswer(one) && one.weight >= SWITCHED),
    isEmptied: some((one) => one.isEmptyList === true),
    isSaid: some(
      (one) =>
        (one.kind === "console_error" || one.kind === "page_message") && one.weight >= 0.6 && isNew(one),
    ),
    isTold: some((one) => one.kind === "page_message" && one.weight >= 0.76 && isNew(one) && one.ts !== null),
    isRefused: some((one) => REFUSED.has(one.kind) && one.weight >= 0.8 && isNew(one) && one.isOwn !== false),
    isRemade: some(({ about, weight }) => about?.startsWith("markup ") === true && weight >= 0.8),
    astray: news.filter(({ astray }) => astray === "label"),
    isGivenOtherwise: some((one) => one.isGivenOtherwise === true),
    isPageOld: isPageOld(evidence),
  };
}

/** Whether an error says no more than that what a script brings is not there. */
export const isEchoOf = ({ kind, title, ts }: Finding, script: Finding): boolean =>
  kind === "page_error" && LACKS.test(title) && (ts ?? 0) >= (script.ts ?? 0) - AT_ONCE_MS;

function isPageOld({ run: { page, facts }, failed }: Evidence): boolean {
  const ts = page?.shot.ts;
  return (
    ts !== undefined &&
    facts.exchanges.some(
      ({ end, type }) =>
        end !== null && end > ts && end < failed.to && /^(?:xhr|fetch|document)$/.test(type ?? ""),
    )
  );
}

const foundBefore = (findings: readonly Finding[], moment: number | null): Set<string> =>
  new Set(
    moment === null ? [] : findings.flatMap(({ title, ts }) => (ts !== null && ts < moment ? [title] : [])),
  );
