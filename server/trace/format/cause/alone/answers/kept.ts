import { isStoring, mayRead, requestText } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { type Given, isAboutSame } from "../requests/one-thing.ts";
import { isRefusedBy } from "../requests/refused.ts";
import { holds, soughtBy } from "../requests/sought.ts";

const MOST_ANSWERS = 60;
/** A page asks again so soon that the recorder's clocks may tell it before the end of the answer. */
const AT_ONCE_MS = 50;

/**
 * What the page sent, the server took, and the test then looks for in vain: a later answer came without it, or what has
 * its like was not asked for again. A run's own request says what should have been kept.
 */
export function detectNotKept(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const text = soughtBy(evidence)?.text;
  if (text === undefined) return [];
  const write = facts.exchanges.findLast(
    (one) =>
      isStoring(one, run) &&
      one.status !== null &&
      !isBeside(one) &&
      one.ts <= evidence.failed.to &&
      namesOf(evidence, one, text).length > 0 &&
      !isRefusedBy(one, run),
  );
  if (!write) return [];
  const given = { write, names: new Set(namesOf(evidence, write, text)) };
  const end = write.end ?? write.ts;
  const reads = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) => one !== write && mayRead(one, run) && isOfData(one),
  );
  const later = reads.filter((one) => one.ts > write.ts && one.ts >= end - AT_ONCE_MS);
  const about = later.filter((one) => isAboutSame(one, given, run));
  // Some answer has it, or that of the same thing may have it, for its text was not recorded: it was kept.
  if (later.some((one) => holds(bodyOf(one, run.bodies) ?? (about.includes(one) ? text : ""), text)))
    return [];
  if (later.some((one) => /html/.test(one.mediaType) && holdsEscaped(bodyOf(one, run.bodies) ?? "", text)))
    return [];
  const own = answeredInstead(evidence, write, text);
  if (own) return [own];
  const sent = `${requestOf(write, facts)} (answered with ${write.status}) had sent ${quoted(text, 80)}`;
  // A part of a page with nothing in it is of something else.
  const after = about.findLast((one) => !/html/.test(one.mediaType) || bodyOf(one, run.bodies)?.trim());
  if (after)
    return [
      {
        ...baseOf(evidence, after, [write.seq]),
        kind: "answer_changed",
        title: `${requestOf(after, facts)} answered without ${quoted(text, 80)}, though ${sent} for ${quoted([...given.names][0]!, 40)}: ${lostIn(evidence, after, given.names, text)}`,
        ts: after.end ?? after.ts,
        weight: 0.82,
      },
    ];
  const isShown = run.page?.elements.some(({ isHidden, text: said }) => !isHidden && holds(said, text));
  if (isShown !== false) return [];
  const known = listBefore(evidence, given, reads);
  if (!known && later.some((one) => !isBeside(one))) return [];
  const isAnswered = holds(bodyOf(write, run.bodies) ?? "", text);
  return [
    {
      ...baseOf(evidence, write, known ? [known.seq] : []),
      kind: "request_unsent",
      title: `${known ? `${requestOf(known, facts)} was not` : "Nothing was"} asked for again after ${sent}${isAnswered ? ", and the answer has it, too" : ""}: the page goes on with what it knew before${isAnswered ? " and has not added it" : ""}`,
      ts: end,
      weight: known ? 0.72 : 0.6,
    },
  ];
}

/** The part of a page that answers the write itself, where it has what the test met, which was not sent, in the place of what was; of data its names tell more. */
function answeredInstead(evidence: Evidence, write: Exchange, text: string): Finding | null {
  const { run, failed } = evidence;
  const [met, answer] = [bareOf(failed.received ?? ""), bodyOf(write, run.bodies) ?? ""];
  const [name] = namesOf(evidence, write, text);
  if (!/html/.test(write.mediaType)) return null;
  const isMet =
    met.length >= SHORTEST_LEFT && holds(answer, met) && namesOf(evidence, write, met).length === 0;
  if (!isMet || holds(answer, text) || holdsEscaped(answer, text)) return null;
  return {
    ...baseOf(evidence, write, []),
    kind: "answer_changed",
    title: `${requestOf(write, run.facts)} was sent with ${quoted(text, 80)} for ${quoted(name!, 60)}, and its answer (${write.status}) has ${quoted(met, 80)} in its place: it was not kept`,
    ts: write.end ?? write.ts,
    weight: 0.9,
  };
}

/** Whether markup says a text, which it writes with entities; some pages escape what is escaped already. */
const holdsEscaped = (html: string, text: string): boolean =>
  ENTITY.test(html) && holds(unescaped(unescaped(html)), text);

const ENTITY = /&(?:amp|lt|gt|quot|apos|#x?[\da-f]{1,6});/i;
const SIGNS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (html: string): string =>
  html.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (all, name, decimal, hex) => {
    const code = Number.parseInt(decimal ?? hex ?? "", decimal === undefined ? 16 : 10);
    return SIGNS[String(name).toLowerCase()] ?? (code > 0 ? String.fromCodePoint(code) : all);
  });

const baseOf = ({ run: { facts } }: Evidence, one: Exchange, others: number[]) => ({
  detail: null,
  step_id: one.step_id,
  events: [one.seq, ...others],
  is_new: null,
  about: aboutUrl(one.url, facts, one.operation),
});

/** The answer with things like the one that was sent, which the page had before and did not ask for since. */
function listBefore({ run }: Evidence, given: Given, reads: readonly Exchange[]): Exchange | undefined {
  const { facts } = run;
  const { write, names } = given;
  const isOfList = ({ path }: Leaf) => /\.\d+\.[^.]+$/.test(`.${path}`) && names.has(path.split(".").at(-1)!);
  const known = reads.findLast(
    (one) =>
      one.ts < write.ts &&
      one.type !== "document" &&
      isAboutSame(one, given, run) &&
      leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).some(isOfList),
  );
  const isSince = ({ ts }: Exchange) => ts > write.ts;
  const isAsked = known && exchangesOf(facts, exchangeKey(known, facts)).some(isSince);
  // Another page has other things.
  const isGone = facts.exchanges.some((one) => one.type === "document" && isSince(one));
  return isAsked || isGone ? undefined : known;
}

/** Of the texts that the test wanted as a list, those that were not there, and the others. */
function listsOf({ expected, received, message }: Evidence["failed"]): {
  missing: string[];
  others: string[];
} {
  const texts = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, found]) => found!);
  const wanted = texts(/"([^"]{3,120})"/g, expected ?? "");
  const isThere = (text: string) => holds(received ?? "", text);
  return {
    missing: wanted.filter((text) => !isThere(text)),
    // Of a list the message has what differs, and what does not around it.
    others: [...wanted.filter(isThere), ...texts(/^[ \t]+"([^"]{3,120})",?$/gm, message)],
  };
}

/** What became of a text that an answer has not: by its own name there may be the beginning of it. */
function lostIn({ run }: Evidence, after: Exchange, names: ReadonlySet<string>, text: string): string {
  const left = leavesOf(jsonOf(bodyOf(after, run.bodies) ?? "")).find(
    ({ path, value }) =>
      names.has(path.split(".").at(-1)!) &&
      typeof value === "string" &&
      value.length >= SHORTEST_LEFT &&
      value.length < text.length &&
      text.startsWith(value),
  );
  return left
    ? `it has only ${quoted(String(left.value), 80)} of it, which was cut off after ${String(left.value).length} characters`
    : "it was not kept, or the answer is an older one";
}

/** At least so much of a text is left where it was cut off. */
const SHORTEST_LEFT = 4;

/** The beginning of a text that an answer has, and the test met in its place. */
const cutOffIn = (received: string, text: string, answer: string): string | undefined =>
  [...received.matchAll(/"([^"]+)"/g)]
    .map(([, met]) => met!)
    .find(
      (met) =>
        met.length >= SHORTEST_LEFT && met.length < text.length && text.startsWith(met) && holds(answer, met),
    );

/** A list that came back for what was sent, with things of its kind and without that one: it was not kept. */
export function detectNotListed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { missing, others } = listsOf(failed);
  if (missing.length === 0 || others.length === 0) return [];
  const [write] = answersBefore(evidence, 1, (one) => isStoring(one, run));
  const answer = write && bodyOf(write, run.bodies);
  const text = missing.find((one) => write && namesOf(evidence, write, one).length > 0);
  if (!answer || text === undefined || holds(answer, text) || !others.some((one) => holds(answer, one)))
    return [];
  const cutOff = cutOffIn(failed.received ?? "", text, answer);
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)} was sent with ${quoted(text, 80)}, and its answer ${cutOff === undefined ? "lists other things without it: it was not kept" : `has ${quoted(cutOff, 80)} in its place: it was cut off after ${cutOff.length} characters`}`,
      detail: null,
      step_id: write.step_id,
      events: [write.requestSeq ?? write.seq, write.seq],
      ts: write.end ?? write.ts,
      is_new: null,
      weight: 0.82,
      about: aboutUrl(write.url, run.facts, write.operation),
    },
  ];
}

/** The names under which the request gave the server those words as one of its values. */
function namesOf({ run: { bodies } }: Evidence, one: Exchange, text: string): string[] {
  const body = requestText(one, bodies);
  const leaves = leavesOf(jsonOf(body));
  const values: [string, unknown][] =
    leaves.length > 0
      ? leaves.map(({ path, value }) => [path.split(".").at(-1)!, value])
      : [...new URLSearchParams(body)];
  return values.flatMap(([name, value]) =>
    String(value).toLowerCase() === text.toLowerCase() ? [name] : [],
  );
}

const isOfData = ({ type, mediaType, status }: Exchange) =>
  /^(?:xhr|fetch|document)$/.test(type ?? "") && !/javascript|css/.test(mediaType) && (status ?? 0) < 300;
