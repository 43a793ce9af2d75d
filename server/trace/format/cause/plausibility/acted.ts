import type { CauseKind, Finding } from "../types.ts";
import { isBehind } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";

/** A page at another address is told with the link that led there. */
const ledByLink: Rule = ({ kind, is_new, isStill }, { news, evidence: { run } }) => {
  const here = run.page?.shot.url;
  if (kind !== "redirected" || is_new !== true || isStill || here === undefined) return null;
  const link = news.find(({ leadsTo }) => leadsTo !== undefined && leadsTo === URL.parse(here)?.href);
  return link ? all(because(link), atLeast(0.9)) : null;
};

/** An answer that named another page than in the passes, and where the page went. */
const ledByAnswer: Rule = (finding, { news, evidence: { run } }) => {
  const here = URL.parse(run.page?.shot.url ?? "");
  if (here === null || finding.is_new !== true) return null;
  const isElsewhere = ({ kind, is_new }: Finding) => kind === "redirected" && is_new === true;
  const isLeading = ({ kind, said, is_new }: Finding) =>
    kind === "answer_changed" &&
    is_new === true &&
    said !== undefined &&
    ADDRESS.test(said) &&
    URL.parse(said, here)?.href === here.href;
  const isFrom = (answer: Finding, page: Finding) => {
    const usual = /where the last pass had “([^“”]{1,200})”/.exec(answer.title)?.[1];
    return usual !== undefined && ADDRESS.test(usual) && page.title.split(/[ ;]/).includes(usual);
  };
  if (isLeading(finding))
    return news.some((one) => isElsewhere(one) && isFrom(finding, one))
      ? all((told) => ({ ...told, title: `${told.title}: that is where the page is` }), atLeast(0.96))
      : null;
  return isElsewhere(finding) && news.some((one) => isLeading(one) && isFrom(one, finding))
    ? explained
    : null;
};

const ADDRESS = /^(?:https?:\/)?\//;

/** Whether a click on a label went to another field than in the passes. */
const isOtherField = ({ about, astray, is_new }: Finding): boolean =>
  astray === "label" && is_new === true && about?.startsWith("acted ") === true;

/** What is sent otherwise after a click went to another field came of that. */
const sentByLabel: Rule = (finding, { news, evidence: { run } }) => {
  if (!isOtherField(finding) && !finding.about?.startsWith("body ")) return null;
  const isClicked = ({ events }: Finding) =>
    run.facts.steps.some(({ seq, name }) => seq === events[0] && CLICKS.test(name));
  const isOfIt = (label: Finding, sent: Finding) =>
    isOtherField(label) &&
    isClicked(label) &&
    sent.about?.startsWith("body ") === true &&
    sent.is_new === true &&
    isBehind(label, sent);
  const sent = news.find((one) => isOfIt(finding, one));
  if (sent) return all(because(sent), atLeast(0.97));
  return news.some((label) => isOfIt(label, finding)) ? explained : null;
};

const CLICKS = /(?:^|\.)(?:click|dblclick|tap|check|uncheck|setChecked)$/;

/** A browser sends a form itself where the script that takes it over did not come, or broke. */
const sentForWantOf: Rule = ({ about, ts }, { news }) =>
  about?.startsWith("anew ") === true &&
  news.some(
    (one) =>
      (SCRIPT_LOST.has(one.kind) || one.markup === "gone") &&
      one.is_new === true &&
      one.isOwn !== false &&
      one.weight >= 0.7 &&
      (one.ts ?? 0) <= (ts ?? 0),
  )
    ? explained
    : null;

const SCRIPT_LOST: ReadonlySet<CauseKind> = new Set([
  "script_failed",
  "browser_policy",
  "page_error",
  "request_pending",
]);

/** Rules of what came of elements that an action found otherwise than in the passes. */
export const ACTED: readonly Rule[] = [ledByLink, ledByAnswer, sentByLabel, sentForWantOf];
