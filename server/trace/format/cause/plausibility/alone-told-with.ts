import { oneLine } from "../../error-text.ts";
import { openOver } from "../alone/page/still-open.ts";
import { isReport } from "../alone/requests/reports.ts";
import { saidIn } from "../exchanges/said-in.ts";
import { isRead, isWrite, requestBodyOf, requestText, STORING } from "../exchanges/sent.ts";
import { targetOf } from "../page/target.ts";
import { lastPartOf, wantedBy } from "../page/wanted.ts";
import { isMissing } from "../run/missing-element.ts";
import { topicsOf } from "../run/operations.ts";
import type { Exchange, Step } from "../run/run-facts.ts";
import { actionBefore } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, hasSeveralWords, isTracker, pathOf, quoted, SIGN_IN, titleWithin } from "../words.ts";
import { all, atLeast, because, explained, lessBy, type Rule, say } from "./rule.ts";

/** Without a pass, what an answer has and the page shows came of an answer that does not say what was asked for. */
const againstItself: Rule = ({ kind, is_new, isAgainstItself, events }, { news }) =>
  kind === "answer_changed" &&
  is_new === null &&
  !isAgainstItself &&
  news.some((one) => one.isAgainstItself && one.events[0] === events[0])
    ? explained
    : null;

/** Without a pass, what somebody may not do is told with who had signed in. */
const signedInAs: Rule = ({ kind, is_new, status, ts }, { evidence }) => {
  const who = kind === "request_failed" && is_new === null && status === 403 ? signedIn(evidence, ts) : null;
  return who ? all(say(`the test had signed in as ${quoted(who.name, 60)}`, who.seq), atLeast(0.85)) : null;
};

const PASSWORD = /passw/i;
const MOST_STEPS = 400;

/** Whom the test gave a sign-in: what it filled in right before a password. */
function signedIn({ run }: Evidence, until: number | null): { name: string; seq: number } | null {
  const fills = run.facts.steps
    .slice(0, MOST_STEPS)
    .filter(
      ({ name, ts, params }) =>
        /(?:^|\.)fill$/.test(name) && ts <= (until ?? ts) && typeof params.value === "string",
    );
  const at = fills.findLastIndex((step) => PASSWORD.test(wordsOf(step)));
  const before = fills[at - 1];
  return before && !PASSWORD.test(wordsOf(before)) && before.params.value !== ""
    ? { name: String(before.params.value), seq: before.seq }
    : null;
}

/** What a step says of its field, and not what it was given. */
const wordsOf = ({ title, params }: Step): string =>
  `${title} ${String(params.selector ?? "")}`.replace(String(params.value), "");

/** Without a pass, a write that was refused for want of a field is told with what it had in its place. */
const lackedField: Rule = ({ kind, is_new, status, events, title }, { evidence: { run } }) => {
  if (kind !== "request_failed" || is_new !== null || (status !== 400 && status !== 422)) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const field = one && WANTED.exec(saidIn(bodyOf(one, run.bodies)) ?? title)?.[1];
  const sent = one ? leavesOf(requestBodyOf(one, run)) : [];
  const names = sent.map(({ path }) => path);
  return field &&
    names.length > 0 &&
    names.length <= MOST_NAMES &&
    !names.some((name) => isCalled(name, field))
    ? say(
        `it was sent without ${quoted(field, 40)}, and with ${names.map((name) => quoted(name, 40)).join(", ")}`,
      )
    : null;
};

const WANTED =
  /(?:^|[^\p{L}\d_])["'“]?([a-z][a-z\d_.]{1,40})["'”]? (?:is|are) (?:required|missing|mandatory)/iu;
const MOST_NAMES = 6;

const isCalled = (path: string, field: string): boolean =>
  path.split(".").some((part) => part.toLowerCase() === field.split(".").at(-1)!.toLowerCase());

/** Without a pass, a control that waits for a valid form is held back for what was written into a field that was not meant, or that had no room for it. */
const heldByAstray: Rule = ({ kind, is_new, title }, { news }) => {
  if (kind !== "element_disabled" || is_new !== null || title.includes("; ")) return null;
  const written = news.find(
    ({ astray, about, is_new }) => is_new === null && (astray === "label" || about?.startsWith("maxlength ")),
  );
  return written ? because(written) : null;
};

/** Without a pass, what no role sees behind a dialog is told with why that stands open. */
const behindDialog: Rule = ({ kind, is_new, title }, { evidence }) => {
  if (kind !== "element_hidden" || is_new !== null || !/aria-hidden|inert/.test(title)) return null;
  const open = openOver(evidence);
  return open ? say(titleWithin(open.words), open.seq) : null;
};

/** Without a pass, a value that an answer has is told with what the same answer says of it in words, as it had not before. */
const withItsNote: Rule = ({ kind, is_new, shown, events }, { evidence: { run } }) => {
  if (kind !== "answer_changed" || is_new !== null || shown === undefined) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const note = one && noteOf(one, run.bodies);
  const isOld = (other: Exchange) =>
    other.ts < one!.ts && other.url === one!.url && noteOf(other, run.bodies)?.value === note!.value;
  // What a person wrote down is no word of the product.
  const isGiven = note && requestText(one, run.bodies).includes(note.value);
  return note && !isGiven && !run.facts.exchanges.slice(-MOST_STEPS).some(isOld)
    ? say(`it said ${quoted(note.value, 80)} for ${quoted(note.path, 40)}`)
    : null;
};

const NOTE = /^(?:note|message|reason|error|warning|hint|notice)$/i;

/** What an answer says in words of itself, and not of one of its things. */
function noteOf(one: Exchange, bodies: Map<number, string>): { path: string; value: string } | null {
  for (const { path, value } of leavesOf(jsonOf(bodyOf(one, bodies) ?? "")))
    if (NOTE.test(path) && typeof value === "string" && / \p{L}/u.test(value)) return { path, value };
  return null;
}

/** Without a pass, a write that went out twice at once made the one thing that the test counts too many, and not whatever was there before. */
const madeTwice: Rule = ({ kind, is_new, title, isTwice, events }, { news, evidence }) => {
  const { failed, run } = evidence;
  if (is_new !== null || Number(failed.received) - Number(failed.expected) !== 1) return null;
  const isAtOnce = (one: Finding) =>
    one.kind === "request_repeated" && one.isTwice === true && isPair(one.events, run);
  if (kind === "request_repeated") return isTwice && isPair(events, run) ? atLeast(0.85) : null;
  return kind === "answer_changed" && /answered with \d+ items/.test(title) && news.some(isAtOnce)
    ? lessBy(0.7)
    : null;
};

/** Whether one of some requests is a write that was sent within moments of one like it. */
const isPair = (events: readonly number[], { facts }: RunEvidence): boolean =>
  facts.exchanges.some(
    (one) =>
      events.includes(one.seq) &&
      STORING.has(one.method) &&
      facts.exchanges.some(
        (other) =>
          other !== one &&
          other.method === one.method &&
          other.url === one.url &&
          Math.abs(other.ts - one.ts) <= AT_ONCE_MS,
      ),
  );

const AT_ONCE_MS = 50;

/** Without a pass, what was refused since the session is over led the page to the sign-in that it stands at. */
const expired: Rule = ({ kind, is_new, status, title, ts }, { evidence: { run } }) =>
  kind === "request_failed" &&
  is_new === null &&
  status === 401 &&
  /\bexpired\b/i.test(title) &&
  SIGN_IN.test(pathOf(run.page?.shot.url ?? "")) &&
  run.facts.exchanges.some(
    (one) =>
      (one.status ?? 400) < 400 && SIGN_IN.test(pathOf(one.url)) && isWrite(one, run) && one.ts < (ts ?? 0),
  )
    ? atLeast(0.82)
    : null;

/** Without a pass, who is sent to sign in since the test moved the page's clock is sent there for that: what is good for a while is over by it. */
const overByClock: Rule = ({ kind, is_new, title }, { news }) => {
  if (kind !== "test_code" || is_new !== null || !CLOCK_SET.test(title)) return null;
  const refused = news.find(
    (one) =>
      (one.kind === "request_failed" && one.status === 401) ||
      (one.kind === "redirected" && SIGN_IN.test(one.title)),
  );
  return refused ? all(because(refused), atLeast(0.9)) : null;
};

const CLOCK_SET = /^The test set the page's clock to .* (?:day|week|month|year)s? after the run/;

/** Without a pass, a dialog that asks something and still stands open, with nothing sent since, waits for its answer. */
const unanswered: Rule = ({ kind, is_new, about, title }, { news, evidence: { run, failed } }) => {
  if (kind !== "page_message" || is_new !== null || !title.includes("?")) return null;
  // The page stands as an answer before it says.
  if (!news.some(({ shown }) => shown !== undefined)) return null;
  const said = about?.startsWith("text ") ? about.slice(5) : "";
  const isDialog = run.page?.elements.some(
    ({ role, text, isHidden }) =>
      /^(?:alert)?dialog$/.test(role) &&
      !isHidden &&
      said !== "" &&
      oneLine(text).startsWith(said.slice(0, 60)),
  );
  const action = actionBefore(run.facts, failed);
  const isSent = (one: Exchange) =>
    one.ts >= (action?.ts ?? 0) &&
    one.ts <= failed.to &&
    isWrite(one, run) &&
    !isTracker(one.url) &&
    !isReport(run, one);
  return isDialog && action && failed.received !== null && !run.facts.exchanges.some(isSent)
    ? all(say("that dialog is still open: nobody answered it, and nothing was sent"), atLeast(0.9))
    : null;
};

/** Without a pass, a small number that an answer about something else has as well is not where the page has its own from. */
const ofOtherTopic: Rule = ({ kind, is_new, shown, events }, { news, evidence }) => {
  if (kind !== "answer_changed" || is_new !== null || shown === undefined || !/^\d{1,3}$/.test(shown))
    return null;
  const spoken = new Set(topicsOf(targetOf(evidence)));
  const isSpoken = (seq: number | undefined) =>
    topicsOf(pathOf(evidence.run.facts.exchanges.find((one) => one.seq === seq)?.url ?? "")).some((topic) =>
      spoken.has(topic),
    );
  const isOther = (one: Finding) =>
    one.kind === "stale_answer" && one.weight >= 0.6 && isSpoken(one.events[0]);
  return !isSpoken(events[0]) && news.some(isOther) ? lessBy(0.8) : null;
};

/** Without a pass, a list without items of the very thing that the page is about, which has a part of the page for itself, is not what a control or a message elsewhere is missing for. */
const emptyElsewhere: Rule = ({ kind, is_new, isEmptyList, events }, { evidence }) => {
  if (kind !== "answer_changed" || is_new !== null || !isEmptyList || !isMissing(evidence)) return null;
  const { run, failed } = evidence;
  const { role, name } = wantedBy(lastPartOf(targetOf(evidence)));
  // A single word may be what is done with each of the things.
  if (!run.page || !ALONE_STANDING.has(role ?? "") || (name !== null && !hasSeveralWords(name))) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const ofPage = new Set(topicsOf(pathOf(run.page.shot.url)));
  const spoken = new Set(topicsOf(`${targetOf(evidence)} ${failed.expected ?? ""}`));
  const topics = topicsOf(pathOf(one?.url ?? "")).filter((topic) => !ofPage.has(topic));
  // What belongs to the one thing that the page is about is no list of such things.
  const thing = pathOf(run.page.shot.url).split("/").at(-1) ?? "";
  const isOfThing =
    thing !== "" &&
    pathOf(one?.url ?? "")
      .split("/")
      .includes(thing);
  const hasPart = run.page.elements.some(
    ({ role, name, isHidden }) =>
      !isHidden &&
      (role === "heading" || role === "region") &&
      topicsOf(name).some((topic) => topics.includes(topic)),
  );
  return topics.length > 0 && isOfThing && hasPart && !topics.some((topic) => spoken.has(topic))
    ? lessBy(0.5)
    : null;
};

const ALONE_STANDING = new Set(["button", "link", "status", "alert"]);

/** Without a pass, as many things as the test met an answer about something else may list by chance, where one that it speaks of was asked for since. */
const countedElsewhere: Rule = ({ kind, is_new, title, events }, { evidence, settled }) => {
  if (kind !== "answer_changed" || is_new !== null || !title.includes("as many as the test met")) return null;
  const spoken = new Set(topicsOf(targetOf(evidence)));
  const isSpoken = ({ url, operation }: Exchange) =>
    topicsOf(operation ?? pathOf(url)).some((topic) => spoken.has(topic));
  const { run } = evidence;
  const { exchanges } = run.facts;
  const one = exchanges.find(({ seq }) => seq === events[0]);
  const isOfIt = (other: Exchange) =>
    isRead(other, run) && other.status !== null && other.ts >= (settled ?? 0) - 100 && isSpoken(other);
  return one && !isSpoken(one) && exchanges.some(isOfIt) ? lessBy(0.15) : null;
};

/** What is told with what else the run knows of it, where there is no pass to compare with. */
export const ALONE_TOLD_WITH: readonly Rule[] = [
  againstItself,
  signedInAs,
  lackedField,
  heldByAstray,
  behindDialog,
  withItsNote,
  madeTwice,
  expired,
  overByClock,
  unanswered,
  ofOtherTopic,
  emptyElsewhere,
  countedElsewhere,
];
