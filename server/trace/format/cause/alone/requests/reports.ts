import { requestBodyOf } from "../../exchanges/sent.ts";
import { oncePer } from "../../once.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, headerOf } from "../../words.ts";

/** Pages report at every turn: the last ones tell. */
const MOST_REPORTS = 20;
const FEWEST_REPORTS = 2;
const MOST_ANSWERS = 200;
const MOST_STEPS = 200;
/** A report names the moment of what it tells; what is sent in one go had gathered for as long, ms. */
const GATHERED_MS = 60_000;
/** The clocks of page and recorder, ms. */
const APART_MS = 5_000;

/**
 * Whether a page only reports what happens to it, whatever the address is called: time and again, each time no more than a
 * name, a moment and whose it is, and nothing ever comes back for it. Nothing of the page can depend on that.
 */
export const isReport = oncePer((run: RunEvidence, one: Exchange): boolean => {
  if (one.method !== "POST" || one.type === "document") return false;
  const all = exchangesOf(run.facts, exchangeKey(one, run.facts)).slice(-MOST_REPORTS);
  return all.length >= FEWEST_REPORTS && all.every((each) => bringsNothing(each) && tells(each, run));
});

const bringsNothing = ({ status, headers }: Exchange): boolean =>
  status === null ||
  status >= 400 ||
  ((status === 204 || status === 205 || status === 202) && headerOf(headers, "set-cookie") === null);

/** Whether what was sent is made of the name of what happened, when that was, and by whom: nothing that the test gave or that an answer has. */
function tells(one: Exchange, run: RunEvidence): boolean {
  const leaves = leavesOf(requestBodyOf(one, run));
  const isOfName = ({ path, value }: Leaf) => NAME.test(path) && WORD.test(String(value));
  const isOfMoment = ({ value }: Leaf) => isMoment(value, one.ts);
  return (
    leaves.some(isOfName) &&
    leaves.some(isOfMoment) &&
    leaves
      .filter((leaf) => !isOfName(leaf) && !isOfMoment(leaf) && !WHOSE.test(leaf.path))
      .every(({ value }) => typeof value === "boolean" || isOwnWord(run, String(value)))
  );
}

const NAME = /(?:^|\.)(?:name|event|type|kind|action)$|event_?(?:name|type)$/i;
const WORD = /^[a-z][a-z_ .:-]{0,40}$/i;
/** Who was there: reports say it, and change nothing of theirs. */
const WHOSE = /(?:user|session|visitor|visit|client|device|tenant|anonymous)(?:_?id)?$/i;

const isMoment = (value: unknown, ts: number): boolean => {
  const told = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return told >= ts - GATHERED_MS && told <= ts + APART_MS;
};

/** Whether a text is of the page's own making: an address of its own, or one that no answer has and nobody gave. */
const isOwnWord = oncePer(
  (run: RunEvidence, text: string): boolean => text.startsWith("/") || !isKnown(text, run),
);

/** Recorders write both to the trace of a step that gives a text. */
const given = ({ params }: RunEvidence["facts"]["steps"][number]): unknown => params.text ?? params.value;

const isKnown = (text: string, { facts, bodies }: RunEvidence): boolean =>
  facts.steps.slice(-MOST_STEPS).some((step) => given(step) === text) ||
  facts.exchanges
    .slice(-MOST_ANSWERS)
    .some((one) => /json/.test(one.mediaType) && bodyOf(one, bodies)?.includes(text) === true);
