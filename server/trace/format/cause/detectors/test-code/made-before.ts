import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, hasSeveralWords, isForeign, isTracker, quoted, requestOf } from "../../words.ts";
import { countsOf } from "../answers/listed.ts";
import { sentIn } from "./left-over.ts";

const MOST_ANSWERS = 40;
const MOST_WRITES = 40;
const SHORTEST = 4;
const LONGEST = 120;

/** What every pass makes itself, only after the failed step, and what this run was answered with before it made anything: left there by an earlier run. */
export function detectMadeBefore(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts, page } = run;
  const [last] = passes;
  if (!page || !last) return [];
  const shown = new Set(page.elements.flatMap(({ own, isHidden }) => (isHidden ? [] : [own])));
  const brought = sentIn(evidence);
  const made = madeLater(evidence, last).find(
    ({ text }) =>
      shown.has(text) &&
      !brought.has(text.toLowerCase()) &&
      passes.every(
        (pass) => !showsOf(pass, text) && madeLater(evidence, pass).some((one) => one.text === text),
      ),
  );
  const answer =
    made &&
    answersBefore(
      evidence,
      MOST_ANSWERS,
      ({ method, url }) => method === "GET" && !isForeign(url, facts),
    ).find((one) => says(one, run, made.text));
  if (!made || !answer) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(answer, facts)} answered with ${quoted(made.text, 80)}, which nothing of this run had brought: in the last pass ${requestOf(made.write, last.facts)} makes it, and only later, so that it was left there before`,
      detail: null,
      step_id: answer.step_id,
      events: [answer.seq, page.shot.seq],
      ts: answer.end ?? answer.ts,
      is_new: true,
      weight: countsOf(evidence) ? 0.93 : 0.88,
      about: aboutUrl(answer.url, facts),
    },
  ];
}

interface Made {
  text: string;
  write: Exchange;
}

/** The texts that a pass sent to be kept once it had got past the step that failed here. */
function madeLater({ run, failed }: Evidence, pass: RunEvidence): Made[] {
  const moment = momentIn(pass.facts, run.facts, failed);
  if (moment === null) return [];
  const typed = new Set(pass.facts.steps.flatMap(({ params }) => [params.value, params.text]));
  return pass.facts.exchanges
    .filter(
      (one) =>
        one.ts > moment &&
        one.method === "POST" &&
        one.status !== null &&
        isWrite(one, pass) &&
        !isFailedExchange(one) &&
        !isTracker(one.url) &&
        !isForeign(one.url, pass.facts),
    )
    .slice(0, MOST_WRITES)
    .flatMap((write) =>
      leavesOf(requestBodyOf(write, pass)).flatMap(({ value }) =>
        typeof value === "string" &&
        value.length >= SHORTEST &&
        value.length <= LONGEST &&
        // A single word may be a state that many things have.
        (hasSeveralWords(value) || typed.has(value))
          ? [{ text: value, write }]
          : [],
      ),
    );
}

const showsOf = ({ page }: RunEvidence, text: string): boolean =>
  page === null || page.elements.some(({ own, isHidden }) => !isHidden && own === text);

function says(one: Exchange, { bodies }: RunEvidence, text: string): boolean {
  const body = bodyOf(one, bodies) ?? "";
  return (
    body.includes(text) &&
    (/html/.test(one.mediaType) || leavesOf(jsonOf(body)).some(({ value }) => value === text))
  );
}
