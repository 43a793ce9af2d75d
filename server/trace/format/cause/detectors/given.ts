import { isBefore } from "../compare.ts";
import { fieldsIn, type Placed } from "../form-fields.ts";
import { jsonOf, leavesOf } from "../json-leaves.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import { isWrite, requestText, SECRET } from "../sent.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, isTracker, quoted, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

/** The last writes that were refused. */
const MOST = 5;
/** The last answers before one of them. */
const MOST_ANSWERS = 100;
/** Characters of a value that is made for each run. */
const SHORTEST = 6;
const LONGEST = 2_000;
const MOST_VALUES = 400;
/** Tokens of one request. */
const MOST_SENT = 20;

/** A token that a refused request sent and that an earlier answer had replaced: in every pass it is the one that this answer gave. */
export function detectGiven(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const given = createGiven();
  return run.facts.exchanges
    .filter(
      (one) =>
        isWrite(one, run) &&
        isFailedExchange(one) &&
        one.status !== null &&
        isBefore(evidence, one.ts) &&
        !isTracker(one.url) &&
        !isForeign(one.url, run.facts),
    )
    .slice(-MOST)
    .flatMap((one) => findingOf(evidence, one, given));
}

/** A place of an answer, which the same answer of another run has as well. */
interface Source {
  key: string;
  place: string;
}

function findingOf(evidence: Evidence, one: Exchange, given: Given): Finding[] {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const mine = tokensSent(one, run);
  const usual = passes.map((pass) => ({
    pass,
    other: exchangesOf(pass.facts, key).find((other) => other.status !== null && !isFailedExchange(other)),
  }));
  for (const { place, value } of mine) {
    const sources = usual.map(({ pass, other }) => {
      const sent = other && tokensSent(other, pass).find((token) => token.place === place)?.value;
      return sent === undefined || sent === value ? undefined : sourceOf(sent, other!, pass, given);
    });
    const [source] = sources;
    if (!source || !sources.every((other) => other?.key === source.key && other.place === source.place))
      continue;
    const last = lastGiven(source, one, run, given);
    if (!last || last.value === value) continue;
    const isOlder = sourceOf(value, one, run, given) !== undefined;
    return [
      {
        kind: "storage",
        title: `${requestOf(one, run.facts)} was sent with ${isOlder ? "an older" : "another"} ${quoted(nameOf(place), 60)} than the one that ${requestOf(last.one, run.facts)} had given by then in ${source.place}, which every pass sends; it was answered with ${one.status}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, last.one.seq, one.seq],
        ts: one.end ?? one.ts,
        is_new: true,
        weight: 0.97,
        about: aboutUrl(one.url, run.facts),
      },
    ];
  }
  return [];
}

const nameOf = (place: string): string => place.replace(/^the (?:field|header) /, "");

const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length >= SHORTEST && value.length <= LONGEST && /\d/.test(value);

/** What a request says by names of tokens: its own headers, the fields of a form or of JSON. */
function tokensSent(one: Exchange, { bodies }: RunEvidence): Placed[] {
  const headers = one.requestHeaders
    .filter(({ name }) => name.startsWith("x-"))
    .map(({ name, value }) => ({ path: name, value, of: "the header" }));
  const text = requestText(one, bodies);
  const json = jsonOf(text);
  const fields =
    json === undefined && /urlencoded/i.test(headerOf(one.requestHeaders, "content-type") ?? "")
      ? [...new URLSearchParams(text)].map(([path, value]) => ({ path, value }))
      : leavesOf(json);
  return [...headers, ...fields.map((field) => ({ ...field, of: "the field" }))]
    .flatMap(({ path, value, of }) =>
      SECRET.test(path) && isToken(value) ? [{ place: `${of} ${path}`, value }] : [],
    )
    .slice(0, MOST_SENT);
}

/** Tells what an answer gives, which is read once. */
type Given = (one: Exchange, run: RunEvidence) => Placed[];

function createGiven(): Given {
  const known = new Map<Exchange, Placed[]>();
  return (one, run) => {
    const placed = known.get(one) ?? givenBy(one, run);
    known.set(one, placed);
    return placed;
  };
}

/** What an answer gives of tokens: by headers of its own, in JSON, in the fields of its forms. */
function givenBy(one: Exchange, { bodies }: RunEvidence): Placed[] {
  const headers = one.headers
    .filter(({ name }) => name.startsWith("x-"))
    .map(({ name, value }) => ({ place: `the header ${name}`, value }));
  const text = bodyOf(one, bodies) ?? "";
  const json = jsonOf(text);
  const said =
    json === undefined
      ? fieldsIn(text, MOST_VALUES)
      : leavesOf(json).map(({ path, value }) => ({ place: `the field ${path}`, value }));
  return [...headers, ...said]
    .slice(0, MOST_VALUES)
    .flatMap(({ place, value }) => (isToken(value) ? [{ place, value }] : []));
}

const answersTo = ({ facts }: RunEvidence, until: number): Exchange[] =>
  facts.exchanges
    .filter(({ end, status }) => status !== null && end !== null && end <= until)
    .slice(-MOST_ANSWERS);

/** The last answer before a request that gives the value which that sent. */
function sourceOf(value: string, sent: Exchange, pass: RunEvidence, given: Given): Source | undefined {
  for (const one of answersTo(pass, sent.ts).toReversed()) {
    const found = given(one, pass).find((token) => token.value === value);
    if (found) return { key: exchangeKey(one, pass.facts), place: found.place };
  }
  return undefined;
}

/** What the same answer gave in the same place before a request. */
function lastGiven(
  { key, place }: Source,
  sent: Exchange,
  run: RunEvidence,
  given: Given,
): { one: Exchange; value: string } | undefined {
  const one = answersTo(run, sent.ts).findLast((other) => exchangeKey(other, run.facts) === key);
  const value = one && given(one, run).find((token) => token.place === place)?.value;
  return one && value !== undefined ? { one, value } : undefined;
}
