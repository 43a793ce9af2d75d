import { isBeside } from "../../alone/beside.ts";
import { isBefore, isNew } from "../../compare.ts";
import { queryOf, requestBodyOf } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 5;
const MOST_SENT = 300;
const DEEPEST = 6;
const MOST_NAMES = 200;

/** A request that was sent with an event, or an object written as a text, where a value belongs: a function that takes the value was made a listener. */
export function detectEventSent(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return run.facts.exchanges
    .slice(-MOST_SENT)
    .flatMap((one): Finding[] => {
      const sent = isBefore(evidence, one.ts) ? eventIn(one, run) : null;
      if (sent === null) return [];
      const isThere = (pass: RunEvidence) =>
        exchangesOf(pass.facts, exchangeKey(one, run.facts)).some(
          (other) => eventIn(other, pass)?.place === sent.place,
        );
      return [
        {
          kind: "page_changed",
          title: `${requestOf(one, run.facts)} was sent with ${sent.words} in the place of ${sent.place === "" ? "what it is to say" : quoted(sent.place, 80)}`,
          detail: null,
          step_id: one.step_id,
          events: [one.requestSeq ?? one.seq],
          ts: one.ts,
          is_new: isNew(evidence, isThere),
          weight: 0.95,
          about: `body ${one.seq}`,
        },
      ];
    })
    .slice(-MOST);
}

interface Misplaced {
  /** The name of the value; empty where it is all that was sent. */
  place: string;
  words: string;
}

function eventIn(one: Exchange, run: RunEvidence): Misplaced | null {
  if (isBeside(one) || isForeign(one.url, run.facts)) return null;
  for (const [name, value] of queryOf(one)) {
    const found = misplacedIn(jsonOf(value) ?? value, name);
    if (found) return found;
  }
  return misplacedIn(requestBodyOf(one, run));
}

/** What a script makes of an object where a text is wanted. */
const AS_TEXT = /^\[object (?:Object|\w{0,30}Event)\]$/;

const wordsFor = (text: string): string =>
  `${text.endsWith("Event]") ? "an event" : "an object"} (${quoted(text, 60)})`;

function misplacedIn(value: unknown, place = "", depth = 0): Misplaced | null {
  if (typeof value === "string") return AS_TEXT.test(value) ? { place, words: wordsFor(value) } : null;
  if (depth > DEEPEST || typeof value !== "object" || value === null) return null;
  if (isRecord(value) && isEvent(value)) return { place, words: 'an event ({"isTrusted":…})' };
  for (const [name, inner] of Object.entries(value).slice(0, MOST_NAMES)) {
    const found = misplacedIn(inner, place === "" ? name : `${place}.${name}`, depth + 1);
    if (found) return found;
  }
  return null;
}

/**
 * Whether an object is what JSON leaves of an event: all else of it is not its own, but for marks that frameworks put on it.
 * Who records events says more of them.
 */
const isEvent = (value: Record<string, unknown>): boolean =>
  typeof value.isTrusted === "boolean" &&
  Object.keys(value).every((name) => name === "isTrusted" || name.startsWith("_"));
