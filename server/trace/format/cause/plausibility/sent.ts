import type { Finding } from "../types.ts";
import { isRefusedBefore } from "./deeds.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";

/** What a field took only a part of is sent so, and read so. */
const sentCutOff: Rule = ({ about, said, is_new }, { news }) => {
  if (is_new !== true || !said) return null;
  if (about?.startsWith("body "))
    return news.some((one) => one.about?.startsWith("wiped ") && one.said === said) ? explained : null;
  const isSent = news.some((one) => one.about?.startsWith("body ") && one.said === said);
  return about?.startsWith("wiped ") && isSent ? atLeast(0.97) : null;
};

/** What the page lacks since it was refused it is missing in what it sends, and in what is answered to that. */
const sentForWantOf: Rule = (finding, scene) => {
  const isSent = finding.about?.startsWith("body ") || finding.isAskedOtherwise;
  return isSent && finding.is_new === true && isRefusedBefore(finding, scene) ? explained : null;
};

/** A write that is answered otherwise than in every pass, though it asked for the same, comes before the order that is read afterwards. */
const movedByWrite: Rule = (finding, { news }) => {
  const isWritten = (one: Finding) =>
    one.kind === "answer_changed" &&
    one.is_new === true &&
    one.isRead === false &&
    one.isOther === "value" &&
    !one.isAskedOtherwise;
  const isMoved = (one: Finding) => one.isReordered === true && isOfRead(one);
  if (isWritten(finding) && news.some((one) => isMoved(one) && isBehind(finding, one))) return atLeast(0.95);
  return isMoved(finding) && news.some((one) => isWritten(one) && isBehind(one, finding)) ? explained : null;
};

/** What another tab did not ask for it was not told of: the message that never came is told with that. */
const unheardByTab: Rule = (finding, { news }) => {
  if (!finding.isOfOtherTab && !finding.isUnheard) return null;
  const tab = news.find(({ isOfOtherTab }) => isOfOtherTab);
  const message = news.find(({ isUnheard, is_new }) => isUnheard && is_new === true);
  if (!tab || !message) return null;
  return finding === message ? all(because(tab), atLeast(0.93)) : finding === tab ? explained : null;
};

/** Another day that is sent is one by the clock or the zone of the run, where the page shows one too and its scripts are those of the passes. */
const sentByClock: Rule = ({ about, said, is_new }, { news, evidence: { run } }) => {
  if (is_new !== true || !about?.startsWith("body ") || !DAY.test(said ?? "")) return null;
  const isSameCode =
    run.facts.exchanges.some(({ type }) => type === "script") &&
    news.every(({ file, markup }) => file !== "script" && markup !== "code");
  const day = isSameCode && news.find(({ kind, otherTime }) => kind === "time" && otherTime === "day");
  return day ? because(day) : null;
};

const DAY = /^\d{4}-\d\d-\d\d(?:T|$)/;

/** Rules of what led to what a page sent, and of what is read of it. */
export const SENT: readonly Rule[] = [sentCutOff, sentForWantOf, movedByWrite, unheardByTab, sentByClock];
