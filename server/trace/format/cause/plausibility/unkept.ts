import { dataIn } from "../exchanges/asked-again.ts";
import { CHANGING, requestBodyOf } from "../exchanges/sent.ts";
import { textsOf } from "../page/page-texts.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isFigureOf } from "../values/figures.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { bareOf, bodyOf, headerOf, quoted, requestOf, SIGN_IN } from "../words.ts";
import { isOfOneThing, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";

/** Answers in which the value of before is looked for. */
const MOST = 30;
/** Figures of fewer digits are those of many things. */
const FEWEST_DIGITS = 3;

/** What was sent to be kept, answered well, and read as it was before: it was not kept, or an old copy is read. */
export const unkept: Rule = (finding, { evidence }) => {
  const { failed, run } = evidence;
  if (!isOfRead(finding) || finding.is_new !== true) return null;
  const wanted = failed.expected ?? "";
  const value = wanted.replace(/^["'`]|["'`]$/g, "");
  if (value.length < 3) return null;
  const write = run.facts.exchanges.findLast(
    (one) =>
      isAccepted(one) &&
      one.ts < (finding.ts ?? 0) &&
      isOfOneThing(requestOf(one, run.facts), finding.title) &&
      (JSON.stringify(requestBodyOf(one, run) ?? "").includes(JSON.stringify(value).slice(1, -1)) ||
        figureIn(one, wanted, finding, run) !== null),
  );
  if (!write) return null;
  const figure = figureIn(write, wanted, finding, run);
  const sent = `${requestOf(write, run.facts)} had been sent with ${figure === null ? "it" : quoted(figure, 40)} and answered with ${write.status}`;
  const outcome = isAsBefore(finding, write, evidence)
    ? "the value read is still the old one"
    : "it was not kept, or another one is read";
  return (told) => ({
    ...told,
    title: `${told.title}; ${sent}: ${outcome}`,
    events: [...told.events, write.requestSeq ?? write.seq],
  });
};

/** Whether a write was taken: forms are answered with where to go on, and who is not known is sent to the sign-in. */
const isAccepted = ({ status, headers }: Exchange): boolean =>
  status !== null &&
  (status < 300 ||
    ((status === 302 || status === 303) && !TURNED_AWAY.test(headerOf(headers, "location") ?? "")));

const TURNED_AWAY = new RegExp(`${SIGN_IN.source}|error|invalid|denied`, "i");

/** What was sent for the number that the test wants, however the page writes that. */
function figureIn(one: Exchange, wanted: string, { place }: Finding, run: RunEvidence): string | null {
  const isLong = wanted.replace(/\D/g, "").length >= FEWEST_DIGITS;
  const leaf = leavesOf(requestBodyOf(one, run)).find(
    ({ path, value }) => isFigureOf(value, wanted) && (isLong || nameOf(path) === nameOf(place ?? "")),
  );
  return leaf ? String(leaf.value) : null;
}

const nameOf = (place: string): string => place.split(/[/.]/).at(-1)!;

/** Whether an answer before the write had the value that is read after it, by the same name; a served page, the text that the test met. */
function isAsBefore(finding: Finding, write: Exchange, { failed, run }: Evidence): boolean {
  const { place, events } = finding;
  const answers = run.facts.exchanges.filter(({ end, status }) => end !== null && status === 200);
  const read = answers.find(({ seq }) => seq === events[0]);
  if (!read) return false;
  if (finding.isServed)
    return answers.some(
      (one) =>
        one.end! <= write.ts && one.url === read.url && hasText(one, bareOf(failed.received ?? ""), run),
    );
  if (!place) return false;
  const name = nameOf(place);
  const valuesIn = (one: Exchange) =>
    leavesOf(dataIn(bodyOf(one, run.bodies) ?? "")).filter(({ path }) => nameOf(path) === name);
  const now = valuesIn(read).find(({ path }) => path === place.slice(1).replaceAll("/", "."))?.value;
  return (
    now !== undefined &&
    answers
      .filter((one) => one.end! <= write.ts)
      .slice(-MOST)
      .some((one) => valuesIn(one).some(({ value }) => value === now))
  );
}

const hasText = (page: Exchange, text: string, { bodies }: RunEvidence): boolean =>
  text !== "" && textsOf(bodyOf(page, bodies) ?? "").includes(text);

/**
 * Where no server was asked for a page that has not what it has in passes, that is told first: an old copy stood in for it.
 * A server that had answered so itself since the last write had nothing else.
 */
export const fromCopy: Rule = (finding, { news, evidence: { run } }) => {
  if (finding.is_new !== true || !/^(?:stale_answer|answer_changed)$/.test(finding.kind)) return null;
  const isOfIt = (copy: Finding, answer: Finding) =>
    copy.kind === "stale_answer" &&
    copy.isCopy === true &&
    copy.is_new === true &&
    answer.kind === "answer_changed" &&
    answer.is_new === true &&
    answer.weight >= TELLING &&
    answer.about === copy.about &&
    // What says itself that it was a copy is told so already.
    (answer.events[0] === copy.events[0] ? !answer.isCopy : isWrittenBetween(answer, copy, run));
  const answer = news.find((one) => isOfIt(finding, one));
  if (answer) return all(because(answer), atLeast(0.97));
  return news.some((one) => isOfIt(one, finding)) ? explained : null;
};

const isWrittenBetween = ({ ts: from }: Finding, { ts: to }: Finding, { facts }: RunEvidence): boolean =>
  facts.exchanges.some(
    (one) => CHANGING.has(one.method) && isAccepted(one) && one.ts >= (from ?? 0) && one.ts <= (to ?? 0),
  );

const TELLING = 0.6;
