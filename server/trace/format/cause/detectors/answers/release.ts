import { OF_CONTENT } from "../../../diff/normalise.ts";
import { cut, oneLine } from "../../../error-text.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { oncePer } from "../../once.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import { ruleChange } from "../../style/rule-change.ts";
import type { Evidence, Finding } from "../../types.ts";
import {
  aboutUrl,
  bareOf,
  bodyOf,
  headerOf,
  isForeign,
  isWorkerScript,
  pathOf,
  quoted,
  requestOf,
} from "../../words.ts";

/** More changed stretches than these are another release as a whole, which tells little. */
const FEW = 6;

/** Scripts and style sheets that are not those of the passes: another release of the product. */
export const detectRelease = (evidence: Evidence): Finding[] =>
  asOne(changedCodeIn(evidence, "code"), evidence);

/** Many detectors tell of a changed script with what they find. */
const changedCodeIn = oncePer((evidence: Evidence, _: "code"): Finding[] => {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const isOwnCode = (one: Exchange) => isCode(one) && !isForeign(one.url, run.facts);
  return answersBefore(evidence, 60, isOwnCode).flatMap((one) => findingsOf(evidence, one));
});

const MOST_NAMED = 3;

/** Scripts of which nothing is known but that they are others: a release has many, and each says as little as the first. */
function asOne(found: readonly Finding[], evidence: Evidence): Finding[] {
  const isBare = (one: Finding) =>
    one.file === "script" && one.detail === null && !one.isWorker && one.kind === "answer_changed";
  const [first, ...others] = found.filter(isBare);
  if (!first || others.length === 0) return [...found];
  const seqs = new Set([first, ...others].map(({ events }) => events[0]));
  const names = [...new Set(evidence.run.facts.exchanges.filter(({ seq }) => seqs.has(seq)).map(fileOf))];
  if (names.length < 2) return found.filter((one) => one === first || !isBare(one));
  const named = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length - MOST_NAMED;
  const joined: Finding = {
    ...first,
    title: `The scripts ${named}${more > 0 ? ` and ${more} more` : ""} changed since the last pass${metBy(evidence)}`,
    events: [first, ...others].flatMap(({ events }) => events),
  };
  return found.flatMap((one) => (one === first ? [joined] : isBare(one) ? [] : [one]));
}

/** Whether an exchange is of a script or style sheet. */
export function isCode({ type, mediaType }: Pick<Exchange, "type" | "mediaType">): boolean {
  return (type === "script" || type === "stylesheet") && !/html/.test(mediaType);
}

function findingsOf(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const text = bodyOf(one, run.bodies);
  if (text === undefined && one.body === null) return bySize(evidence, one, key);
  const others = passes.flatMap((pass) =>
    exchangesOf(pass.facts, key).map((other) => ({
      reference: other.body,
      text: bodyOf(other, pass.bodies),
    })),
  );
  const before = others.find((other) => other.text !== undefined)?.text;
  const old = isOlder(evidence, one, key) ? staleness(one) : null;
  const isKnown = others.some(
    (other) => other.reference === one.body || (text !== undefined && other.text === text),
  );
  if (isKnown || !others.some(({ reference }) => reference !== null)) return [];
  // What is too large to be compared is another one all the same.
  if (text === undefined || before === undefined) return [changed(evidence, one, key, "")];
  const isStyle = one.type === "stylesheet";
  const [mine, theirs] = [text, before].map(isStyle ? rulesOf : stretches) as [string[], string[]];
  const [fresh, gone] = [without(mine, theirs), without(theirs, mine)];
  if (fresh.length + gone.length === 0) return [];
  const isSmall = Math.max(fresh.length, gone.length) <= FEW;
  const [now, then] = apart(fresh[0], gone[0], isStyle).map((stretch) =>
    stretch === undefined ? null : quoted(stretch, 110),
  );
  const [rule, ...rules] = fresh;
  const ofRule =
    isStyle && rule !== undefined && rules.length === 0 && gone.length === 1
      ? ruleChange(rule, gone[0]!)
      : null;
  const told = isSmall
    ? `: ${ofRule ?? `${now ?? "nothing"}${then ? ` where that has ${then}` : ", which that has not"}`}`
    : "";
  return [
    {
      kind: old === null ? "answer_changed" : "stale_answer",
      title: `${toldAs(one, evidence)} ${old === null ? "changed since" : `came ${old} and is not that of`} the last pass${told}`,
      detail: isSmall
        ? cut([...gone.map((line) => `- ${line}`), ...fresh.map((line) => `+ ${line}`)].join("\n"), 1_200)
        : null,
      step_id: one.step_id,
      events: [one.seq],
      // It was there from the beginning; what it does comes later.
      ts: null,
      is_new: true,
      weight: old !== null ? OLD : isSmall ? 0.6 : 0.35,
      about: aboutUrl(one.url, run.facts),
      file: isStyle ? "style sheet" : "script",
      isWorker: isWorkerScript(one),
    },
  ];
}

/** The first script of the site that is not that of the passes, in words; null where all are. */
export function changedScript(evidence: Evidence): { words: string; seq: number } | null {
  const found = changedCodeIn(evidence, "code").find(({ file }) => file === "script");
  if (found === undefined) return null;
  // What the test met is told by whatever the script is told with.
  const title = found.title.replace(metBy(evidence), "");
  return { words: cut(`${title[0]!.toLowerCase()}${title.slice(1)}`, 200), seq: found.events[0]! };
}

/** The style sheet of the site whose rules are not those of the passes, in words; null where all are, or none is told. */
export function changedStyle(evidence: Evidence): string | null {
  const found = changedCodeIn(evidence, "code").find(
    ({ file, detail }) => file === "style sheet" && detail !== null,
  );
  return found === undefined ? null : cut(`${found.title[0]!.toLowerCase()}${found.title.slice(1)}`, 200);
}

/** What the passes had for a file, of which a run may have asked thousands of times. */
const usualOf = oncePer(({ passes }: Evidence, key: string) => {
  const others = passes.flatMap((pass) => exchangesOf(pass.facts, key));
  const headers = OUTWARD.map(([header]) => others.flatMap((other) => headerOf(other.headers, header) ?? []));
  const sizes = new Map<string | null, Set<number>>();
  for (const { type, size } of others)
    if (size !== null) sizes.set(type, (sizes.get(type) ?? new Set()).add(size));
  return { others, names: new Set(others.map(fileOf)), headers, sizes };
});

/** Recorders leave the text of scripts out; their size tells that they changed. */
function bySize(evidence: Evidence, one: Exchange, key: string): Finding[] {
  const { others, names, headers, sizes } = usualOf(evidence, key);
  const named = otherName(one, names);
  if (named !== null) return [changed(evidence, one, key, named)];
  // A text of the same length may be another one, which a tag tells that is made of the text.
  const hasLength = headerOf(one.headers, "content-length") !== null;
  for (const [at, [header, words]] of OUTWARD.entries()) {
    const now = headerOf(one.headers, header);
    const before = headers[at]!;
    if (now === null || before.length === 0 || before.includes(now)) continue;
    if (header === "etag" && isWrittenAnew(one, others, now, before)) continue;
    return header === "etag" && hasLength && IS_TIME.test(now)
      ? []
      : [changed(evidence, one, key, words(now, before[0]!))];
  }
  // What a service worker hands out has no size, and what it asks for itself is told with another one.
  const usual = sizes.get(one.type) ?? new Set();
  const [before] = usual;
  const isKnown = one.size === null || usual.size !== 1 || before === undefined || before === one.size;
  return isKnown ? [] : [changed(evidence, one, key, otherSize(String(one.size), String(before)))];
}

/** A file that is called after its content goes by another name than in every pass; null where it does not. */
function otherName(one: Exchange, names: ReadonlySet<string>): string | null {
  const [before] = names;
  return names.size !== 1 || before === fileOf(one) ? null : `, which had ${quoted(before!, 80)}`;
}

const fileOf = ({ url }: Exchange): string => pathOf(url).split("/").at(-1)!;

function otherSize(now: string, before: string): string {
  return `: it has ${now} bytes instead of ${before}`;
}

/** A tag of length and time of a file, which is another one with every release. */
const IS_TIME = /^(?:W\/)?"[\da-f]+(?:-[\da-f]+)+"$/i;

/** Whether a file that is called after its content has the length that it had, and by its tag only another time: each release writes its files anew. */
function isWrittenAnew(
  { url, size }: Exchange,
  others: readonly Exchange[],
  now: string,
  before: readonly string[],
): boolean {
  const parts = partsOf(now);
  return (
    OF_CONTENT.test(pathOf(url)) &&
    parts.length === 2 &&
    others.every((other) => other.size === size) &&
    before.some((tag) => {
      const apart = partsOf(tag).filter((part, at) => part !== parts[at]);
      return apart.length === 1 && AS_TIME.test(apart[0]!);
    })
  );
}

/** Seconds or milliseconds since 1970 in hex; no file that a page loads is so long. */
const AS_TIME = /^[\da-f]{8,}$/i;

/** The parts of a tag of length and time. */
const partsOf = (tag: string): string[] => (IS_TIME.test(tag) ? tag.replace(/^W\/|"/g, "").split("-") : []);

/** What tells one text from another without it, the plainest first: what is sent packed has no length. */
const OUTWARD: [string, (now: string, before: string) => string][] = [
  ["content-length", otherSize],
  ["etag", () => ": it has another ETag"],
];

/** What the test met instead of the text that it wanted: all that is known of what another script does. */
function metBy({ failed: { step, expected, received } }: Evidence): string {
  const isText = /\p{L}/u.test(`${expected} ${received}`) && /text$/i.test(step?.name ?? step?.title ?? "");
  return isText && expected !== null && received !== null
    ? `; the page says ${quoted(bareOf(received), 60)} where the test wants ${quoted(bareOf(expected), 60)}`
    : "";
}

/** A script or style sheet of which is known that it is another one, and no more. */
function changed(evidence: Evidence, one: Exchange, key: string, how: string): Finding {
  const { facts } = evidence.run;
  const old = isOlder(evidence, one, key) ? staleness(one) : null;
  return {
    kind: old === null ? "answer_changed" : "stale_answer",
    title: `${toldAs(one, evidence)} ${old === null ? "changed since" : `came ${old} and is not that of`} the last pass${how}${one.type === "stylesheet" || old !== null ? "" : metBy(evidence)}`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq],
    ts: null,
    is_new: true,
    weight: old === null ? 0.4 : OLD,
    about: aboutUrl(one.url, facts),
    file: one.type === "stylesheet" ? "style sheet" : "script",
    isWorker: isWorkerScript(one),
  };
}

const toldAs = (one: Exchange, { run }: Evidence): string =>
  `The ${one.type === "stylesheet" ? "style sheet" : isWorkerScript(one) ? "service worker" : "script"} ${requestOf(one, run.facts)}`;

/** A script of another release that a cache in between has kept. */
const OLD = 0.82;

/** Whether a cache in between answered, as it did in no pass. */
function isOlder({ passes }: Evidence, one: Exchange, key: string): boolean {
  const isKept = ({ headers }: Exchange) =>
    Number(headerOf(headers, "age")) > 0 || /\bhit\b/i.test(headerOf(headers, "x-cache") ?? "");
  return isKept(one) && !passes.some(({ facts }) => exchangesOf(facts, key).some(isKept));
}

/** Rules of a style sheet: a selector says nothing without what it does. */
function rulesOf(text: string): string[] {
  return text
    .split("}")
    .map((rule) => oneLine(rule))
    .filter((rule) => rule !== "")
    .map((rule) => `${rule} }`);
}

/** Statements of a script, as far as their ends tell. */
function stretches(text: string): string[] {
  return text
    .split(/[\n;{}]/)
    .map((line) => oneLine(line))
    .filter((line) => line !== "");
}

/** What stands before the place in which two long statements part: a minified one may be a thousand calls. */
const CONTEXT = 30;
const LONG = 100;

/** Two statements from shortly before the place in which they part, of a rule with what it is about. */
function apart(now: string | undefined, then: string | undefined, isStyle: boolean): (string | undefined)[] {
  if (now === undefined || then === undefined || Math.max(now.length, then.length) <= LONG)
    return [now, then];
  let at = 0;
  while (at < Math.min(now.length, then.length) && now[at] === then[at]) at++;
  const from = Math.max(0, at - CONTEXT);
  const selector = isStyle ? now.slice(0, now.lastIndexOf("{") + 1) : "";
  const about = selector.length < Math.min(from, LONGEST_SELECTOR) ? selector : "";
  return [now, then].map((text) => `${about}${from > 0 ? "…" : ""}${text.slice(from)}`);
}

const LONGEST_SELECTOR = 50;

function without(some: string[], others: string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}
