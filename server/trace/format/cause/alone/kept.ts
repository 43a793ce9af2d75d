import { isFailedExchange } from "../detectors/requests.ts";
import { jsonOf, leavesOf } from "../json-leaves.ts";
import { isOneForAll } from "../operations.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, bodyOf, isTracker, pathOf, quoted, requestOf } from "../words.ts";
import { holds, soughtBy } from "./sought.ts";

const MOST_ANSWERS = 60;
/** A page asks again so soon that the recorder's clocks may tell it before the end of the answer. */
const AT_ONCE_MS = 50;
export const CHANGES = new Set(["POST", "PUT", "PATCH"]);

/**
 * What the page sent, the server took, and the test then looks for in vain: a later answer came without it, or nothing
 * was asked for again. A run's own request says what should have been kept.
 */
export function detectNotKept(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const text = soughtBy(evidence)?.text;
  if (text === undefined) return [];
  const write = run.facts.exchanges.findLast(
    (one) =>
      CHANGES.has(one.method) &&
      one.status !== null &&
      !isFailedExchange(one) &&
      !isTracker(one.url) &&
      one.ts <= evidence.failed.to &&
      hasSent(evidence, one, text),
  );
  if (!write) return [];
  const end = write.end ?? write.ts;
  const later = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) =>
      one.ts > write.ts &&
      one.ts >= end - AT_ONCE_MS &&
      one !== write &&
      (one.method === "GET" || isOneForAll(one)) &&
      isOfData(one),
  );
  const about = later.filter((one) => isAboutSame(one, write));
  // Some answer has it, or that of the same thing may have it, for its text was not recorded: it was kept.
  if (later.some((one) => holds(bodyOf(one, run.bodies) ?? (about.includes(one) ? text : ""), text)))
    return [];
  const after = about.at(-1);
  const isShown = run.page?.elements.some(({ isHidden, text: said }) => !isHidden && holds(said, text));
  if (!after && (isShown !== false || later.length > 0)) return [];
  const sent = `${requestOf(write, run.facts)} (answered with ${write.status}) had sent ${quoted(text, 80)}`;
  return [
    {
      kind: after ? "answer_changed" : "request_unsent",
      title: after
        ? `${requestOf(after, run.facts)} answered without ${quoted(text, 80)}, though ${sent}: it was not kept, or the answer is an older one`
        : `Nothing was asked for again after ${sent}: the page goes on with what it knew before`,
      detail: null,
      step_id: (after ?? write).step_id,
      events: after ? [after.seq, write.seq] : [write.seq],
      ts: after ? (after.end ?? after.ts) : end,
      is_new: null,
      weight: after ? 0.82 : 0.6,
      about: aboutUrl((after ?? write).url, run.facts, (after ?? write).operation),
    },
  ];
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
    others: [...wanted.filter(isThere), ...texts(/^\s+"([^"]{3,120})",?$/gm, message)],
  };
}

/** A list that came back for what was sent, with things of its kind and without that one: it was not kept. */
export function detectNotListed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { missing, others } = listsOf(failed);
  if (missing.length === 0 || others.length === 0) return [];
  const [write] = answersBefore(evidence, 1, (one) => CHANGES.has(one.method));
  const answer = write && bodyOf(write, run.bodies);
  const text = missing.find((one) => write && hasSent(evidence, write, one));
  if (!answer || text === undefined || holds(answer, text) || !others.some((one) => holds(answer, one)))
    return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)} was sent with ${quoted(text, 80)}, and its answer lists other things without it: it was not kept`,
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

/** Whether the request gave the server those words as one of its values. */
function hasSent(
  { run: { bodies } }: Evidence,
  { requestSeq, requestBody }: Exchange,
  text: string,
): boolean {
  const body = (requestSeq === null ? undefined : bodies.get(requestSeq)) ?? requestBody ?? "";
  if (body === "" || body.startsWith("sha256:")) return false;
  const values = leavesOf(jsonOf(body)).map(({ value }) => String(value));
  const form = values.length > 0 ? [] : [...new URLSearchParams(body).values()];
  return [...values, ...form].some((value) => value.toLowerCase() === text.toLowerCase());
}

const isOfData = ({ type, mediaType, status }: Exchange) =>
  /^(?:xhr|fetch|document)$/.test(type ?? "") && !/javascript|css/.test(mediaType) && (status ?? 0) < 300;

/** Whether two addresses share a part that names a thing: `/api/cards/7` and `/api/cards`. One address for all shares it. */
function isAboutSame(one: Exchange, write: Exchange): boolean {
  const partsOf = ({ url }: Exchange) =>
    pathOf(url)
      .split("/")
      .filter((part) => part.length > 2 && !/^(?:api|v\d+|rest)$/.test(part));
  const written = new Set(partsOf(write));
  return written.size === 0 || partsOf(one).some((part) => written.has(part));
}
