import { requestText, SECRET } from "../exchanges/sent.ts";
import { fieldsIn, type Placed } from "../page/form-fields.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, headerOf } from "../words.ts";

/** The last answers before a request. */
const MOST_ANSWERS = 100;
/** Characters of a value that is made for each run. */
const SHORTEST = 6;
const LONGEST = 2_000;
const MOST_VALUES = 400;
/** Tokens of one request. */
const MOST_SENT = 20;

/** What a place is called by itself. */
export const nameOf = (place: string): string => place.replace(/^the (?:field|header) /, "");

const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length >= SHORTEST && value.length <= LONGEST && /\d/.test(value);

/** What a request says by names of tokens: its own headers, the fields of a form or of JSON. */
export function tokensSent(one: Exchange, { bodies }: RunEvidence): Placed[] {
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
export type Given = (one: Exchange, run: RunEvidence) => Placed[];

export function createGiven(): Given {
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

/** The last answers up to a moment. */
export const answersTo = ({ facts }: RunEvidence, until: number): Exchange[] =>
  lastOf(facts.exchanges, MOST_ANSWERS, ({ end, status }) => status !== null && end !== null && end <= until);
