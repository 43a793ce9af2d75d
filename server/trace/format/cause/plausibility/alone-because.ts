import { GESTURES } from "../select.ts";
import type { Finding } from "../types.ts";
import { because, lessBy, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";
import { BESIDE } from "./words.ts";

const isIdle = ({ about }: Finding): boolean => about?.startsWith("idle ") === true;

/** Without a pass, what a page threw before an action that it answered to did not keep it from answering to the next. */
const thrownBefore: Rule = ({ kind, is_new, ts }, { news, evidence: { run } }) => {
  const idle = kind === "page_error" && is_new === null && ts !== null ? news.find(isIdle) : undefined;
  if (idle?.ts == null) return null;
  const began = run.facts.steps.find(({ seq }) => seq === idle.events[0])?.ts ?? idle.ts;
  return run.facts.steps.some(
    (step) => GESTURES.test(step.name) && !step.isFailed && step.ts > ts! && step.end < began,
  )
    ? lessBy(0.8)
    : null;
};

/** Without a pass, what stands there twice that was sent twice. */
const sentTwice: Rule = ({ kind, is_new }, { news, settled }) => {
  if (kind !== "element_ambiguous" || is_new !== null) return null;
  const sent = news.find(
    (one) =>
      one.kind === "request_repeated" &&
      one.isTwice === true &&
      one.weight >= SURE &&
      WRITES.test(one.title) &&
      (one.ts ?? 0) >= (settled ?? 0) - 100,
  );
  return sent ? because(sent) : null;
};

const SURE = 0.6;
const WRITES = /^(?:POST|PUT) /;

/** Without a pass, a control that is disabled, or has not what is to be picked, waits for what could not be read. */
const unread: Rule = (finding, scene) => {
  const { kind, is_new, title } = finding;
  const isWithoutOption = kind === "element_missing" && title.includes("has no such option");
  // What is known of a disabled control beside that it is one says why.
  const isShutOff = kind === "element_disabled" && !title.includes("; ");
  if (is_new !== null || !(isWithoutOption || isShutOff)) return null;
  const lost = lostRead(finding, scene, isWithoutOption);
  return lost ? because(lost) : null;
};

/** The one read of the page's own data that failed: of an option whenever that was, for what is disabled since something was given to it. */
function lostRead({ ts }: Finding, { news, evidence: { run } }: Scene, isEver: boolean): Finding | null {
  const { steps, exchanges } = run.facts;
  const opened = steps.findLast((step) => OPENS.test(step.name) && step.ts < (ts ?? 0))?.ts ?? 0;
  const given = steps.find((step) => GESTURES.test(step.name) && step.ts > opened)?.ts;
  const from = isEver ? 0 : (given ?? Number.POSITIVE_INFINITY);
  const reads = news.filter(
    (one) =>
      one.kind === "request_failed" &&
      one.title.startsWith("GET ") &&
      one.isOwn !== false &&
      !BESIDE.test(one.title) &&
      (one.ts ?? 0) >= from &&
      exchanges.some(
        ({ seq, type, status }) =>
          seq === one.events[0] && /^(?:xhr|fetch)$/.test(type ?? "") && status !== 401,
      ),
  );
  const titles = new Set(reads.map(({ title }) => title));
  return titles.size === 1 ? reads.at(-1)! : null;
}

const OPENS = /(?:^|\.)(?:goto|reload)$/;

/** Without a pass, of two by one name the one that is to be seen is meant, whatever its role, and not the one that is folded away. */
const seenOtherwise: Rule = ({ kind, is_new }, { news }) =>
  kind === "element_hidden" && is_new === null && news.some((one) => one.hasLostRole && one.is_new === null)
    ? lessBy(0.8)
    : null;

/** What is told together with what it most likely came of, or apart from what it did not come of, where there is no pass to compare with. */
export const ALONE_BECAUSE: readonly Rule[] = [thrownBefore, sentTwice, unread, seenOtherwise];
