import { actionBefore } from "./select.ts";
import type { CauseKind, Evidence, Finding } from "./types.ts";

/** What only shows that something went wrong. */
const SYMPTOMS = new Set<CauseKind>(["element_renamed", "element_missing", "page_changed", "assertion"]);
/** What makes an element be missing or another one stand in its place. */
const CAUSES = new Set<CauseKind>([
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
const STRONG = 0.7;
const EXPLAINED = 0.85;
/** From here on a changed answer explains what the page has or lacks. */
const SWITCHED = 0.72;

/** Names of things that products ask for beside what they are for, and of requests that wait by design. */
const BESIDE =
  /experiment|a-?b-?test|variant|hint|survey|recommend|promo|banner|avatar|font|feedback|chat|beacon/i;
const WAITS_BY_DESIGN =
  /poll|stream|events?\b|subscribe|notif|notices|updates|hub|signalr|sse|live|watch|changes/i;

/** An error that says no more than that something is not there which a script would have brought. */
const LACKS = /is not defined|is not a function|is not a constructor|of undefined|of null/;

/**
 * Weighs findings by what else was found: what a script that did not load leaves undefined is its echo; a missing
 * element is what a failed request left out; and without a pass, what happened before an action that went well, or
 * time and again, has most likely nothing to do with the failure.
 */
export function withPlausibility(findings: readonly Finding[], evidence: Evidence): Finding[] {
  const news = findings.filter(({ is_new }) => is_new !== false);
  const lostScript = news.find(
    ({ kind, title, weight }) =>
      kind === "script_failed" && weight >= STRONG && !title.includes("style sheet"),
  );
  const strong = news.some(
    ({ kind, weight, isOwn, is_new, ts }) =>
      CAUSES.has(kind) &&
      isOwn !== false &&
      weight >= STRONG &&
      is_new === true &&
      (ts ?? 0) >= evidence.failed.from - 8_000,
  );
  const isAnswered = news.some(
    ({ kind, weight, is_new }) => kind === "answer_changed" && weight >= (is_new === null ? 0.8 : 0.85),
  );
  const isSwitched = news.some(({ kind, weight }) => kind === "answer_changed" && weight >= SWITCHED);
  const isEmptied = news.some(({ kind, title }) => kind === "answer_changed" && /: 0 items$/.test(title));
  const isSaid = news.some(
    ({ kind, weight, is_new }) =>
      (kind === "console_error" || kind === "page_message") && weight >= 0.6 && is_new === true,
  );
  const isTold = news.some(
    ({ kind, weight, is_new, ts }) =>
      kind === "page_message" && weight >= 0.76 && is_new === true && ts !== null,
  );
  const isFollowed = news.some(
    ({ kind, weight, is_new, isOwn }) =>
      (kind === "request_failed" || kind === "browser_policy" || kind === "script_failed") &&
      weight >= 0.8 &&
      is_new === true &&
      isOwn !== false,
  );
  const thrown = news.find(({ kind, weight }) => kind === "page_error" && weight >= STRONG);
  const isEmptyAnswer = news.some(
    (one) =>
      one.kind === "answer_changed" &&
      one.is_new === true &&
      NOTHING.test(one.title) &&
      thrown?.ts != null &&
      one.ts !== null &&
      one.ts <= thrown.ts + 50,
  );
  const isRemade = news.some(({ about, weight }) => about?.startsWith("markup ") && weight >= 0.8);
  const restyled = news.find((one) => isRestyled(one, news));
  const misread = thrown && news.find(({ isMisread, ts }) => isMisread && (ts ?? 0) <= (thrown.ts ?? 0) + 50);
  const isGivenOtherwise = news.some(({ kind, title }) => kind === "test_code" && GIVEN.test(title));
  const isOld = isPageOld(evidence);
  // What stands in the place of an element by its form alone came there by an answer that says it.
  const isPlaced = ({ about }: Finding) =>
    about?.startsWith("place ") === true &&
    !news.some((one) => one.kind === "answer_changed" && one.title.includes(about.slice(6)));
  const settled = actionBefore(evidence.run.facts, evidence.failed)?.ts ?? null;
  const earlier = repeatedBefore(findings, settled);
  return findings.map((finding) => {
    let { weight, title } = finding;
    const { kind, is_new, ts, about } = finding;
    const isOwnCause = isPlaced(finding) || /^(?:idle|lost) /.test(about ?? "");
    if (lostScript && finding === lostScript && news.some((one) => isEchoOf(one, lostScript)))
      weight = Math.max(weight, 0.95);
    if (lostScript && isEchoOf(finding, lostScript)) weight *= EXPLAINED;
    // The clock is guessed from two texts; an answer with another time is seen.
    if (isAnswered && kind === "time" && title.startsWith("Another")) weight *= EXPLAINED;
    // What a helper says it has not found is what an answer left out; what it throws is an assertion by other means.
    if ((isEmptied || isSaid) && kind === "test_code") weight *= EXPLAINED;
    // Where a form sends a person on, it says why.
    if (isTold && kind === "redirected" && !SIGN_IN.test(title)) weight *= EXPLAINED;
    // What came of another field or frame says more of it.
    if (isFollowed && about?.startsWith("markup ")) weight *= EXPLAINED;
    // A page that broke lets go of its connections.
    if (
      kind === "websocket_closed" &&
      CLOSED.test(title) &&
      thrown &&
      (ts ?? evidence.failed.to) >= (thrown.ts ?? 0) - (isEmptyAnswer ? 5_000 : 1_000)
    )
      weight *= EXPLAINED;
    // What a script cannot do with nothing, an answer said nothing of.
    if (isEmptyAnswer && thrown && LACKS.test(thrown.title)) {
      if (kind === "answer_changed" && NOTHING.test(title)) {
        weight = Math.max(weight, 0.94);
        title = `${title}; then ${thrown.title.replace("The page", "the page").replace(/ at \S+(?: \(.*\))?$/, "")}`;
      }
      if (kind === "page_error" || (kind === "console_error" && LACKS.test(title))) weight *= EXPLAINED;
    }
    // What holds an element back was served with the page.
    if (isRemade && kind === "element_disabled") weight *= EXPLAINED;
    // The answer to another question is what an earlier answer made the page ask.
    if (
      kind === "answer_changed" &&
      ASKED_OTHERWISE.test(title) &&
      news.some((one) => isChangeBefore(one, finding))
    )
      weight *= EXPLAINED;
    // What a form holds back follows from what it was given.
    if (isGivenOtherwise && kind === "element_disabled") weight *= EXPLAINED;
    // A rule that was written into a style sheet, and what it does; an answer that was misread, and what that broke.
    if (restyled && is_new !== false && explainsBy(restyled, kind) && !title.includes("style sheet"))
      return because(finding, restyled, Math.max(weight, 0.9));
    if (misread && finding === thrown) return because(finding, misread, weight);
    if (isPlaced(finding)) weight = Math.max(weight, 0.84);
    if (isOld && !isOwnCause && (kind === "element_renamed" || kind === "page_changed")) weight *= EXPLAINED;
    if ((strong || (isSwitched && !isOwnCause)) && SYMPTOMS.has(kind)) weight *= EXPLAINED;
    if (is_new === null && isUncertain(kind)) {
      if (earlier.has(title) || (ts !== null && settled !== null && ts < settled - 100)) weight *= 0.75;
      if (BESIDE.test(title)) weight *= 0.6;
      if (kind === "request_pending" && WAITS_BY_DESIGN.test(title)) weight *= 0.45;
    }
    return weight === finding.weight && title === finding.title ? finding : { ...finding, weight, title };
  });
}

/** An answer without a value that it has in passes. */
const NOTHING = / answered (?:“null”|nothing|with a field|with no items)/;
const CLOSED = / closed while the page went on/;

const GIVEN = /^The test gave /;

/** A finding with what it came of. */
const because = (finding: Finding, cause: Finding, weight: number): Finding => ({
  ...finding,
  title: `${finding.title}; ${cause.title.replace(/^The /, "the ")}`,
  events: [...finding.events, ...cause.events],
  weight,
});

/** What a style sheet can do to an element, by the properties that do it. */
const STYLED: Partial<Record<CauseKind, RegExp>> = {
  element_covered: /(?:pointer-events|z-index|position|inset)\s*:/,
  element_hidden:
    /(?:display|visibility|opacity|content-visibility|clip(?:-path)?|(?:max-)?(?:height|width))\s*:/,
  element_outside: /(?:position|transform|translate|left|top|right|bottom|inset|margin[\w-]*)\s*:/,
  element_unstable: /(?:animation|transition|transform)[\w-]*\s*:/,
};

/** Whether few rules of a style sheet changed, one of them by a property that explains what befell an element so. */
const explainsBy = ({ title, detail }: Finding, kind: CauseKind): boolean =>
  STYLED[kind]?.test(`${title} ${detail ?? ""}`) === true;

const isRestyled = (finding: Finding, news: readonly Finding[]) =>
  finding.kind === "answer_changed" &&
  finding.title.startsWith("The style sheet") &&
  finding.weight >= 0.6 &&
  news.some(({ kind }) => explainsBy(finding, kind));

const SIGN_IN = /log-?in|sign-?in|auth|sso|session/i;

const ASKED_OTHERWISE = /^(?:POST|PUT|PATCH|DELETE) .*, which was sent with(?:out)? the field /;

const isChangeBefore = ({ kind, ts, weight, title }: Finding, { ts: later }: Finding) =>
  kind === "answer_changed" &&
  weight >= 0.8 &&
  !ASKED_OTHERWISE.test(title) &&
  ts !== null &&
  ts < (later ?? 0);

/** Whether answers came after the page was recorded that a missing element was looked for in. */
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

const isEchoOf = ({ kind, title, ts }: Finding, script: Finding) =>
  kind === "page_error" && LACKS.test(title) && (ts ?? 0) >= (script.ts ?? 0) - 50;

const isUncertain = (kind: CauseKind) =>
  kind === "request_failed" ||
  kind === "request_pending" ||
  kind === "console_error" ||
  kind === "page_error" ||
  kind === "script_failed";

/** What was found before that moment too. */
function repeatedBefore(findings: readonly Finding[], moment: number | null): Set<string> {
  return new Set(
    moment === null ? [] : findings.flatMap(({ title, ts }) => (ts !== null && ts < moment ? [title] : [])),
  );
}
