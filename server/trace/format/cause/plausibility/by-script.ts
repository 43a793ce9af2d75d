import { CHANGING } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { GESTURES } from "../run/select.ts";
import type { Evidence, Finding } from "../types.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/**
 * A script that did not load, or that broke off while it did, has not set up what it sets up in the passes: what was then sent
 * otherwise than there, and refused, is what comes of it.
 */
const sentWithoutScript: Rule = (finding, scene) => {
  if (!isScript(finding) && !isRefused(finding)) return null;
  const { scripts, refusals } = lostIn(scene, "lost");
  if (isRefused(finding)) return scripts.some((one) => isSentAfter(finding, one, scene)) ? explained : null;
  const refused = refusals.find((one) => isSentAfter(one, finding, scene));
  return refused ? all(because(refused), atLeast(0.97)) : null;
};

/** The first of them: a page that is broken goes on to throw, and to be refused. */
const MOST = 10;

const lostIn = oncePer(({ news }: Scene, _: "lost") => ({
  scripts: news.filter(isScript).slice(0, MOST),
  refusals: news.filter(isRefused).slice(0, MOST),
}));

const isRefused = ({ kind, is_new, isOwn }: Finding): boolean =>
  kind === "request_failed" && is_new === true && isOwn !== false;

const isScript = ({ kind, file, is_new, isOwn, isInjected, weight }: Finding): boolean =>
  is_new === true &&
  isOwn !== false &&
  !isInjected &&
  weight >= TELLING &&
  (kind === "page_error" || (kind === "script_failed" && file !== "style sheet"));

const TELLING = 0.8;

/** Whether a request was refused that its page sent otherwise than in the passes, after the script was lost to that page. */
function isSentAfter(refused: Finding, script: Finding, { evidence }: Scene): boolean {
  const { facts } = evidence.run;
  const one = facts.exchanges.find(({ seq }) => seq === refused.events[0]);
  const lost = script.ts;
  if (!one || lost === null || lost > one.ts || !CHANGING.has(one.method)) return false;
  if (!SENT_WITHOUT.test(refused.title) && !isSentByForm(one, evidence)) return false;
  const isOpenedSince = facts.exchanges.some(
    ({ type, ts }) => type === "document" && ts > lost && ts < one.ts,
  );
  return !isOpenedSince && (script.kind !== "page_error" || isThrownOnLoad(lost, one, evidence));
}

/** What a request was not given: a header that scripts add, or the type that they send. */
const SENT_WITHOUT = /, which was sent (?:without the header|with Content-Type) /;

/** Whether the browser itself sent a form that scripts send in every pass. */
function isSentByForm(one: Exchange, { run, passes }: Evidence): boolean {
  const key = exchangeKey(one, run.facts);
  const isByScript = ({ type }: Exchange) => /^(?:xhr|fetch)$/.test(type ?? "");
  return (
    one.type === "document" &&
    passes.every(({ facts }) => {
      const same = exchangesOf(facts, key);
      return same.length > 0 && same.every(isByScript);
    })
  );
}

/** Whether nobody had done anything on the page yet when it threw. */
function isThrownOnLoad(thrown: number, { ts }: Exchange, { run: { facts } }: Evidence): boolean {
  const opened = facts.exchanges.findLast((one) => one.type === "document" && one.ts <= thrown);
  return (
    opened !== undefined &&
    opened.ts <= ts &&
    !facts.steps.some(
      (step) => GESTURES.test(step.name) && step.ts > (opened.end ?? opened.ts) && step.ts < thrown,
    )
  );
}

/** Rules of what comes of a script that a page has not, or not all of. */
export const BY_SCRIPT: readonly Rule[] = [sentWithoutScript];
