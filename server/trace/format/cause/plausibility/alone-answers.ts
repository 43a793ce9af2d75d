import { isBeside } from "../alone/beside.ts";
import { isRefusedBy } from "../alone/requests/refused.ts";
import { isReport } from "../alone/requests/reports.ts";
import { answeredWith, askedIn, isRead, isWrite, requestBodyOf, SECRET } from "../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import { isOneForAll } from "../run/operations.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, Finding } from "../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, quoted, requestOf } from "../words.ts";
import { all, atLeast, lessBy, type Rule, say } from "./rule.ts";

const MOST = 60;
const SHORTEST = 2;
/** Who comes and goes changes no thing. */
const SESSION = /log-?in|log-?out|sign-?in|sign-?out|auth|session|token/i;

/** Without a pass, what the test itself answered is told to come from it. */
const byRoute: Rule = (finding, { evidence: { run } }) => {
  const isFailed = finding.kind === "request_failed";
  const isTold = finding.title.includes("own route");
  if (finding.is_new !== null || isTold || !(isFailed || isAnswer(finding))) return null;
  const answer = run.facts.exchanges.find(({ seq }) => seq === finding.events[0]);
  if (isFailed && answer?.handled === "aborted") return say("the test's own route ended it");
  return answer?.handled === "fulfilled" ? all(say("the test's own route answered it"), atLeast(0.8)) : null;
};

/** Without a pass, a value that the page shows and a write may have changed is told with what the page heard of it since. */
const sinceWrite: Rule = (finding, { evidence }) => {
  const { is_new, shown, shownAt, events } = finding;
  const { run } = evidence;
  const { facts } = run;
  if (is_new !== null || !isAnswer(finding) || shown === undefined || shownAt === undefined) return null;
  // What stands in the place of a thing that is not there is another thing.
  if (evidence.failed.received === null) return null;
  const answer = facts.exchanges.find(({ seq }) => seq === events[0]);
  const write = answer && isRead(answer, run) && answer.type !== "api" ? lastTakenWrite(evidence) : undefined;
  if (!answer || !write) return null;
  const same = exchangesOf(facts, exchangeKey(answer, facts)).filter(
    (one) => one.url === answer.url && askedIn(one, run) === askedIn(answer, run),
  );
  const request = requestOf(write, facts);
  if (answer.ts < write.ts) {
    const isReadAnew = facts.exchanges.some(({ type, ts }) => type === "document" && ts > write.ts);
    // What is posted and answered with 200 is as often a question.
    const isQuestion = write.method === "POST" && write.status === 200 && !isOneForAll(write);
    return isQuestion || isReadAnew || same.some(({ ts }) => ts > write.ts)
      ? null
      : all(say(`it was not asked for again after ${request}, answered with ${write.status}`), atLeast(0.8));
  }
  if (isSentWithoutWanted(evidence, write))
    return all(say(`${request} had been sent without that`), atLeast(0.9));
  const sent = unkeptIn(answer, write, evidence);
  if (sent)
    return all(
      say(
        `${request} had been sent with ${quoted(String(sent.value), 60)} for ${quoted(sent.path, 60)}, which was not kept`,
        write.seq,
      ),
      atLeast(0.85),
    );
  const before = same.findLast((one) => one.ts < write.ts && one.status !== null);
  if (!before || saysAt(evidence, before, shownAt) !== saysAt(evidence, answer, shownAt)) return null;
  if (write.end !== null && answer.ts < write.end)
    return all(
      say(
        `it was asked for before ${request} had been answered (with ${write.status}), and said the same as before that`,
      ),
      atLeast(0.95),
    );
  const later = write.status === 202 ? ", which says that it was taken, not that it is done" : "";
  return all(
    say(`it still answered as before ${request}, answered with ${write.status}${later}`),
    atLeast(later === "" ? 0.8 : 0.9),
  );
};

/** Whether the test gave the page what it wants to see, and a write was sent with other things alone. */
function isSentWithoutWanted({ run, failed }: Evidence, write: Exchange): boolean {
  const want = bareOf(failed.expected ?? "");
  const sent = requestBodyOf(write, run);
  const isGiven = run.facts.steps.some(
    ({ params, ts }) => want !== "" && ts <= write.ts && (params.text ?? params.value) === want,
  );
  return isGiven && sent !== undefined && !leavesOf(sent).some(({ value }) => String(value).includes(want));
}

/** The very value that the step wants, which a write was sent with and a later answer has not by that name. */
function unkeptIn(answer: Exchange, write: Exchange, { run, failed }: Evidence): Leaf | undefined {
  const want = bareOf(failed.expected ?? "");
  const nameOf = ({ path }: Leaf) => path.split(".").at(-1);
  const has = leavesOf(answeredWith(answer, run));
  return want.length < SHORTEST
    ? undefined
    : leavesOf(requestBodyOf(write, run)).find(
        (leaf) =>
          String(leaf.value) === want &&
          !SECRET.test(leaf.path) &&
          !has.some((one) => String(one.value) === want && nameOf(one) === nameOf(leaf) && isAlone(one, has)),
      );
}

/** Whether no list has such a value of each of its things. */
const isAlone = ({ path }: Leaf, all: readonly Leaf[]): boolean =>
  all.filter((one) => one.path.split(".").at(-1) === path.split(".").at(-1)).length === 1;

/** Without a pass, of answers with the value that the page shows one from before the last write is not what the page has read since. */
const readSince: Rule = ({ is_new, shown, events }, { news, evidence }) => {
  const write = is_new === null && shown !== undefined ? lastTakenWrite(evidence) : undefined;
  if (!write) return null;
  const { run } = evidence;
  const { exchanges } = run.facts;
  const answerOf = (seq: number | undefined) => exchanges.find((one) => one.seq === seq);
  const isSince = (one: Finding) => {
    const read = one.shown === shown ? answerOf(one.events[0]) : undefined;
    return read !== undefined && isRead(read, run) && read.ts > write.ts;
  };
  const answer = answerOf(events[0]);
  return answer && answer.ts < write.ts && news.some(isSince) ? lessBy(0.8) : null;
};

/** Without a pass, what an answer says and the page shows in its own column is not wrong. */
const inItsColumn: Rule = ({ is_new, shown }, { news }) =>
  is_new === null && shown !== undefined && news.some(({ about }) => about === "columns")
    ? lessBy(0.7)
    : null;

const isAnswer = ({ kind }: Finding): boolean => kind === "answer_changed" || kind === "stale_answer";

/** The last write that the page had sent before the failure and that was taken. */
export const lastTakenWrite = ({ run, failed }: Evidence): Exchange | undefined =>
  lastOf(run.facts.exchanges, MOST, (one) => one.ts <= failed.to).findLast(
    (one) =>
      one.type !== "api" &&
      one.status !== null &&
      (one.method === "DELETE" || isWrite(one, run)) &&
      !isTracker(one.url) &&
      !isBeside(one) &&
      !isReport(run, one) &&
      !SESSION.test(one.url) &&
      !isRefusedBy(one, run),
  );

const saysAt = ({ run }: Evidence, one: Exchange, place: string): unknown =>
  leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(({ path }) => path === place)?.value;

/** Without a pass, what an answer said before a write is told with that write, where nothing was read again since. */
const beforeWrite: Rule = ({ is_new, shown, ts }, { news }) =>
  is_new === null &&
  shown !== undefined &&
  news.some((one) => one.about?.startsWith("unread ") && (ts ?? 0) < (one.ts ?? 0))
    ? lessBy(0.7)
    : null;

/** What is told beside the value of an answer where there is no pass to compare with. */
export const ALONE_ANSWERS: readonly Rule[] = [byRoute, sinceWrite, readSince, beforeWrite, inItsColumn];
