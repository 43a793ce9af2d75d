import type { Finding } from "../types.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** A script of the site's own that the server has not, and that it had in the passes. */
const isScriptGone = ({ kind, file, status, is_new, isOwn, title }: Finding): boolean =>
  kind === "script_failed" &&
  file !== "style sheet" &&
  is_new === true &&
  isOwn !== false &&
  (status ?? statusIn(title)) >= 400;

const statusIn = (title: string): number => Number(/ was answered with (\d{3})\b/.exec(title)?.[1] ?? 0);

/** What an action did not do on the page that lacks the script. */
const isWithoutEffect = ({ kind, about, is_new, ts }: Finding, script: Finding): boolean =>
  is_new === true &&
  (kind === "request_unsent" || /^(?:idle|unmoved|unsent) /.test(about ?? "")) &&
  (script.ts ?? 0) <= (ts ?? Number.POSITIVE_INFINITY);

/** Where a script is gone from the server, that nothing came of an action is for want of it. */
const withoutScript: Rule = (finding, scene) => {
  if (isScriptGone(finding))
    return isOfPage(finding, scene) && scene.news.some((one) => isWithoutEffect(one, finding))
      ? atLeast(0.98)
      : null;
  const { lostScript } = scene;
  return lostScript &&
    isScriptGone(lostScript) &&
    isOfPage(lostScript, scene) &&
    isWithoutEffect(finding, lostScript)
    ? explained
    : null;
};

/** Whether no page was opened since a script was asked for. */
const isOfPage = ({ ts }: Finding, { evidence: { run } }: Scene): boolean =>
  !run.facts.exchanges.some(
    ({ type, method, ts: at }) => type === "document" && method === "GET" && at > (ts ?? 0),
  );

/** An address in which a value is missing, as scripts and tests write that. */
const WITHOUT_VALUE = /^GET \S*\/(?:undefined|null|NaN)(?=[/?\s])/;

const isLedToNothing = ({ kind, title, is_new }: Finding): boolean =>
  kind === "request_failed" && is_new === true && WITHOUT_VALUE.test(title);

/** Whether the test itself was refused what it asked an API for. */
const isTestRefused = (finding: Finding, { evidence: { run } }: Scene): boolean =>
  finding.kind === "request_failed" &&
  finding.is_new === true &&
  run.facts.exchanges.some(
    ({ seq, type, status }) => type === "api" && finding.events.includes(seq) && (status ?? 0) >= 400,
  );

/** What the test did with an answer that had not what it needs comes of the refusal of that. */
const ofRefusedTest: Rule = (finding, scene) => {
  const isBefore = (refused: Finding, led: Finding) => (refused.ts ?? 0) <= (led.ts ?? 0);
  if (isLedToNothing(finding))
    return scene.news.some((one) => isTestRefused(one, scene) && isBefore(one, finding)) ? explained : null;
  return isTestRefused(finding, scene) &&
    scene.news.some((one) => isLedToNothing(one) && isBefore(finding, one))
    ? atLeast(0.96)
    : null;
};

/** What a tag was served with, told as an attribute that scripts act by: the name and the value that it had. */
const wiringOf = ({
  kind,
  is_new,
  about,
  title,
}: Finding): { name: string; before: string | null } | null => {
  if (kind !== "answer_changed" || is_new !== true || !about?.startsWith("markup ")) return null;
  const [, name] = WIRING.exec(title) ?? [];
  return name === undefined
    ? null
    : { name, before: /where the last pass had [\w:.@-]+="([^"]{2,100})"/.exec(title)?.[1] ?? null };
};

const WIRING =
  / came with(?:out)? ((?:data-(?:[\w-]+-)?(?:action|controller|target|outlet)|hx-[\w:.-]+|x-[\w:.-]+|@[\w:.-]+|on[a-z]{3,20}))\b/;

/** An error of the page that misses the very name that its markup had in the passes. */
const isMissedBy = (markup: Finding, error: Finding): boolean => {
  const before = wiringOf(markup)?.before;
  return (
    before != null &&
    isNewError(error) &&
    MISSES.test(error.title) &&
    error.title.includes(`"${before}"`) &&
    (markup.ts ?? 0) <= (error.ts ?? 0)
  );
};

const MISSES = /\b(?:missing|not found|no such|cannot find|could ?n[o']t find)\b/i;

const isNewError = ({ kind, is_new }: Finding): boolean => kind === "page_error" && is_new === true;

/** What a page throws for want of a name in its markup is told with that. */
const missedName: Rule = (finding, { news }) => {
  if (isNewError(finding)) {
    const markup = news.find((one) => isMissedBy(one, finding));
    return markup ? all(because(markup), atLeast(0.97)) : null;
  }
  return wiringOf(finding) !== null && news.some((one) => isMissedBy(finding, one)) ? explained : null;
};

/** An action that changes nothing on a page whose elements are served with other wiring is told with that. */
const unwired: Rule = (finding, { news }) => {
  if (finding.kind !== "page_changed" || finding.is_new !== true || !finding.about?.startsWith("unmoved "))
    return null;
  const markup = news.find((one) => one.isOfElement === true && wiringOf(one) !== null);
  return markup ? all(because(markup), atLeast(0.92)) : null;
};

/** Rules of what comes of a script, an answer or an attribute that is missing. */
export const FOR_WANT_OF: readonly Rule[] = [withoutScript, ofRefusedTest, missedName, unwired];
