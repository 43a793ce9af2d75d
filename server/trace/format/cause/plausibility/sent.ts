import { requestBodyOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { ofSameTurn } from "../run/keys.ts";
import type { Finding, RunEvidence } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { quoted } from "../words.ts";
import { isRefusedBefore, OF_CLIENT } from "./deeds.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";
import { SIGNED_IN } from "./signed-in.ts";

/** What was sent otherwise, or refused for it, is the value that the picked option has; an answer before it may have given the option that value. */
const sentAsPicked: Rule = (finding, scene) => {
  const options = pickedOtherwise(scene, "picked");
  if (finding.is_new !== true || options.length === 0) return null;
  if (!options.includes(finding))
    return options.some((option) => isSentAs(finding, option)) ? explained : null;
  const { news } = scene;
  const giver = news.find(
    (one) =>
      one.kind === "answer_changed" &&
      one.is_new === true &&
      isBehind(one, finding) &&
      one.title.includes(quoted(finding.said!, 60)),
  );
  const so = news.filter((one) => one.is_new === true && isSentAs(one, finding));
  const sent = giver ?? so.find(({ about }) => about?.startsWith("body ")) ?? so[0];
  return sent ? all(because(sent), atLeast(0.985)) : null;
};

/** Options that were picked as in every pass and have another value. */
const pickedOtherwise = oncePer(({ news }: Scene, _: "picked") =>
  news.filter(({ about }) => about?.startsWith("picked ")),
);

/** Whether a request was sent with the value of an option in the place of another one. */
const isSentAs = (sent: Finding, option: Finding): boolean =>
  isBehind(option, sent) && sent.title.includes(`${quoted(option.said!, 60)} where the last pass sent`);

/** What a field took only a part of is sent so, and read so. */
const sentCutOff: Rule = ({ about, said, is_new }, { news }) => {
  if (is_new !== true || !said) return null;
  if (about?.startsWith("body "))
    return news.some((one) => one.about?.startsWith("wiped ") && one.said === said) ? explained : null;
  const isSent = news.some((one) => one.about?.startsWith("body ") && one.said === said);
  return about?.startsWith("wiped ") && isSent ? atLeast(0.97) : null;
};

/** What is refused for the part of a text that its field took is no cause of that. */
const refusedCutOff: Rule = (finding, { news, evidence: { run } }) => {
  const isOfIt = (cut: Finding, refused: Finding) =>
    isBehind(cut, refused) && isSentWith(refused, cut.said!, run);
  if (isCutOff(finding))
    return news.some((one) => isRefused(one) && isOfIt(finding, one)) ? atLeast(0.97) : null;
  return isRefused(finding) && news.some((one) => isCutOff(one) && isOfIt(one, finding)) ? explained : null;
};

const isCutOff = ({ about, said, is_new }: Finding): boolean =>
  is_new === true && !!said && about?.startsWith("wiped ") === true;

const isRefused = ({ kind, status, is_new }: Finding): boolean =>
  kind === "request_failed" && is_new === true && (status === 400 || status === 422);

/** Whether a request that was told of was sent with a value. */
const isSentWith = ({ events }: Finding, value: string, run: RunEvidence): boolean => {
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  return one !== undefined && leavesOf(requestBodyOf(one, run)).some((leaf) => leaf.value === value);
};

/** What was sent as “undefined” or “[object Object]”, or as a date whose day and month changed places, no server takes for what it is: where no answer before it came otherwise, a script made it, and one that changed is told with it. */
const sentMalformed: Rule = (finding, scene) => {
  if (!isMalformed(finding) || finding.is_new !== true || isRefusedBefore(finding, scene)) return null;
  // Another language of the browser writes dates the other way round.
  if (scene.isGivenOtherwise || scene.news.some(({ otherTime }) => otherTime === "locale")) return null;
  const answers = scene.news.filter((one) => one.kind === "answer_changed" && one.is_new === true);
  const isGiver = (one: Finding) => one.file === undefined && one.weight >= GIVEN && isBehind(one, finding);
  if (answers.some(isGiver)) return null;
  const script = answers.find(({ file }) => file === "script");
  return script ? all(because(script), atLeast(0.97)) : atLeast(0.95);
};

/** Whether something was sent that no server takes for what it is. */
export const isMalformed = ({ isNoValue, isDateTurned }: Finding): boolean =>
  isNoValue === true || isDateTurned === true;

/** From here on an answer may have given the page what it sent. */
const GIVEN = 0.6;

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

/** What came over a connection after a write in the last pass, and not after one that was sent otherwise, did not come for that. */
const unheardForSent: Rule = (finding, scene) => {
  const { is_new, isUnheard, sentField } = finding;
  if (is_new !== true || (!isUnheard && sentField === undefined)) return null;
  const { news } = scene;
  if (isUnheard) return news.some((one) => isSentBefore(one, finding, scene)) ? explained : null;
  return news.some((one) => isSentBefore(finding, one, scene)) && !isRefusedBefore(finding, scene)
    ? atLeast(0.92)
    : null;
};

function isSentBefore(sent: Finding, unheard: Finding, { evidence: { run, passes } }: Scene): boolean {
  const { heardAt } = unheard;
  if (heardAt === undefined || sent.is_new !== true || sent.sentField === undefined) return false;
  if (OF_CLIENT.test(sent.title)) return false;
  const write = run.facts.exchanges.find(({ seq }) => sent.about === `body ${seq}`);
  const same = write && passes[0] && ofSameTurn(write, run.facts, passes[0].facts);
  return same !== undefined && same.ts <= heardAt;
}

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
export const SENT: readonly Rule[] = [
  sentCutOff,
  sentMalformed,
  sentForWantOf,
  movedByWrite,
  unheardByTab,
  unheardForSent,
  sentByClock,
  ...SIGNED_IN,
];

/** Those that come after symptoms were weighed: of what a field took or an option has, and what was refused for it. */
export const SENT_LAST: readonly Rule[] = [refusedCutOff, sentAsPicked];
