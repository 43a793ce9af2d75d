import { dataIn } from "../exchanges/asked-again.ts";
import { fieldsSaidIn } from "../exchanges/fields-said.ts";
import { saidIn } from "../exchanges/said-in.ts";
import { isWrite, requestBodyOf } from "../exchanges/sent.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, quoted } from "../words.ts";
import { WRITE } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

const SHORTEST = 3;
/** Fields of an answer that are looked through. */
const MOST = 200;

/** A refusal that names what an earlier write still had in its answer, though it was sent without it, came of that write. */
const refusedForKept: Rule = (finding, scene) => {
  const { news } = scene;
  if (isRefusal(finding)) return news.some((one) => isKeptFor(one, finding, scene)) ? explained : null;
  if (finding.kind !== "answer_changed") return null;
  const refused = news.find((one) => isRefusal(one) && isKeptFor(finding, one, scene));
  return refused ? all(because(refused), atLeast(0.97)) : null;
};

const isRefusal = ({ kind, is_new, isOwn, weight }: Finding): boolean =>
  kind === "request_failed" && is_new === true && isOwn !== false && weight >= 0.7;

/** Whether an answer to a write has what a later refusal names, as the answer in passes has not and it was not sent with. */
function isKeptFor(answer: Finding, refusal: Finding, { evidence: { run } }: Scene): boolean {
  if (answer.kind !== "answer_changed" || answer.is_new !== true) return false;
  const [write, refused] = [answer, refusal].map(({ events }) =>
    run.facts.exchanges.find(({ seq }) => seq === events[0]),
  );
  if (!write || !refused || !isWrite(write, run) || (write.status ?? 400) >= 300) return false;
  if ((write.end ?? Number.POSITIVE_INFINITY) > refused.ts) return false;
  const said = saidIn(bodyOf(refused, run.bodies)) ?? "";
  const sent = new Set(leavesOf(requestBodyOf(write, run)).map(({ value }) => String(value)));
  return textsIn(write, run).some(
    (text) => !sent.has(text) && isNamedIn(said, text) && answer.title.includes(quoted(text, 60)),
  );
}

const textsIn = (one: Exchange, { bodies }: RunEvidence): string[] =>
  leavesOf(dataIn(bodyOf(one, bodies) ?? ""))
    .slice(0, MOST)
    .flatMap(({ value }) => (typeof value === "string" && value.length >= SHORTEST ? [value] : []));

/** Whether a sentence has a text as a word of its own. */
function isNamedIn(said: string, text: string): boolean {
  const at = said.indexOf(text);
  const isEdge = (letter: string | undefined) => letter === undefined || !/[\p{L}\p{N}]/u.test(letter);
  return at >= 0 && isEdge(said[at - 1]) && isEdge(said[at + text.length]);
}

/** A write whose refusal names no field is told with the one that the page marked for it, with what it says there. */
const refusedField: Rule = ({ kind, status, is_new, isOwn, title, events }, { news, evidence: { run } }) => {
  if (kind !== "request_failed" || is_new === false || isOwn === false) return null;
  if ((status !== 400 && status !== 422) || !WRITE.test(title)) return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  if (!one || fieldsSaidIn(jsonOf(bodyOf(one, run.bodies) ?? "")).length > 0) return null;
  const [mark, ...others] = news.filter(({ isMarked, title: said }) => isMarked && said.includes(": “"));
  return mark && others.length === 0 ? because(mark) : null;
};

/** Rules of what was refused: for what an earlier answer has, and by which field. */
export const REFUSED_FOR: readonly Rule[] = [refusedForKept, refusedField];
