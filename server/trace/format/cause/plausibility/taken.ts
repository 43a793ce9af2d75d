import { isNamedByTest } from "../exchanges/difference-rank.ts";
import { isWrite, requestBodyOf, requestText, SECRET } from "../exchanges/sent.ts";
import { fieldsOf } from "../exchanges/sent-form.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isRecord, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, quoted } from "../words.ts";
import { isBehind, isOfOneThing, isOfRead } from "./one-thing.ts";
import { isToRepeated } from "./repeated.ts";
import { all, atLeast, type Change, explained, type Rule } from "./rule.ts";

/** The write whose answer a finding is about. */
const writeOf = ({ kind, is_new, events }: Finding, { run }: Evidence): Exchange | undefined =>
  kind === "answer_changed" && is_new === true
    ? run.facts.exchanges.find((one) => one.seq === events[0] && isWrite(one, run))
    : undefined;

const saying =
  (clause: string): Change =>
  (told) => ({ ...told, title: `${told.title}; ${clause}` });

const keptNot = ({ path, value }: Leaf): Change =>
  saying(`it was sent with ${quoted(String(value), 60)} for ${quoted(path, 60)}, which was not kept`);

const nameOf = ({ place = "" }: Finding): string | undefined =>
  place.split("/").findLast((part) => /[a-z]/i.test(part));

/**
 * The field that a write was sent with as in the passes, which have it in their answers by the same name; null where the answer has
 * it too. A page has no names for its texts: there it is the whole text.
 */
function unkeptBy(finding: Finding, evidence: Evidence): Leaf | null {
  const write = finding.isAskedOtherwise ? undefined : writeOf(finding, evidence);
  const name = nameOf(finding);
  if (!write || (name === undefined && !finding.isServed)) return null;
  const isSought = ({ path, value }: Leaf) =>
    name === undefined ? /\p{L}{2}/u.test(String(value)) : path.split(".").at(-1) === name;
  const isKept = ({ value }: Leaf) =>
    (typeof value === "string" && value !== "") || typeof value === "number";
  const sent = leavesOf(requestBodyOf(write, evidence.run)).find(
    (leaf) =>
      isSought(leaf) &&
      isKept(leaf) &&
      !SECRET.test(leaf.path) &&
      finding.title.includes(`where the last pass had ${quoted(String(leaf.value), 60)}`),
  );
  return sent ?? null;
}

/** What a write did not take over is read so later: of the same thing, or within what is made of it. */
export const readUntaken: Rule = (finding, { news, evidence }) => {
  const { said, title, is_new } = finding;
  if (!isOfRead(finding) || is_new !== true) return null;
  const isMadeOf = (write: Finding, sent: Leaf) =>
    !!write.said &&
    said?.includes(write.said) === true &&
    title.includes(
      `where the last pass had ${quoted(
        said.replace(write.said, () => String(sent.value)),
        60,
      )}`,
    );
  return news.some((write) => {
    const sent = write !== finding && isBehind(write, finding) ? unkeptBy(write, evidence) : null;
    return sent !== null && (isMadeOf(write, sent) || isOfOneThing(write.title, title));
  })
    ? explained
    : null;
};

/** An answer without what the test looks for, or what the passes' have, to a write that was sent with it. */
export const notTaken: Rule = (finding, { news, evidence }) => {
  const { run } = evidence;
  if (isToRepeated(finding, news)) return null;
  const unkept = unkeptBy(finding, evidence);
  if (unkept) return all(keptNot(unkept), atLeast(0.97));
  const write = writeOf(finding, evidence);
  const name = nameOf(finding);
  if (!write || name === undefined || finding.isAskedOtherwise) return null;
  const answer = bodyOf(write, run.bodies) ?? "";
  const sent = leavesOf(requestBodyOf(write, run)).find(
    ({ path, value }) =>
      typeof value === "string" &&
      value.length > 2 &&
      path.split(".").includes(name) &&
      !SECRET.test(path) &&
      !answer.includes(JSON.stringify(value).slice(1, -1)) &&
      isNamedByTest([value], evidence),
  );
  return sent ? keptNot(sent) : null;
};

/** `“1 row updated”, where the last pass had “3 rows updated”`; `“1” for “updated”, where the last pass had “3”`; `with 1 item for “ids” instead of 3 items` */
const COUNTED = [
  /“(\d{1,15})(?: [^”]{0,100})?”(?: for “[^”]{0,100}”)?, where the last pass had “(\d{1,15})[ ”]/,
  /answered with (\d{1,15}) items?(?: for “[^”]{0,100}”)? instead of (\d{1,15}) items/,
];

/** How many things an answer counts, of how many that the write was sent with, as in the passes; null where it is no such answer. */
function partOf(finding: Finding, evidence: Evidence): { name: string; now: string; before: string } | null {
  const [, now, before] =
    COUNTED.map((form) => form.exec(finding.title)).find((found) => found !== null) ?? [];
  if (now === undefined || before === undefined || Number(now) >= Number(before)) return null;
  const write = writeOf(finding, evidence);
  if (!write) return null;
  const [name] = listsSent(write, evidence.run).find(([, count]) => count === Number(before)) ?? [];
  return name === undefined ? null : { name, now, before };
}

/** An answer that counts fewer things than the write was sent with, and the passes' answers as many. */
export const takenInPart: Rule = (finding, { evidence }) => {
  const part = partOf(finding, evidence);
  if (part === null) return null;
  const { name, now, before } = part;
  const words = `it was sent with ${before} ${quoted(name, 60)}, of which only ${now} ${now === "1" ? "was" : "were"} taken`;
  return all(saying(words), atLeast(0.95));
};

/** What was not taken is read as it was before. */
export const readInPart: Rule = (finding, { news, evidence }) =>
  isOfRead(finding) &&
  finding.is_new === true &&
  news.some(
    (write) =>
      write !== finding &&
      isBehind(write, finding) &&
      isOfOneThing(write.title, finding.title) &&
      partOf(write, evidence) !== null,
  )
    ? explained
    : null;

/** How many values each field has that has several: of a form, or a list of JSON. */
function listsSent(one: Exchange, run: RunEvidence): [name: string, count: number][] {
  const sent = requestBodyOf(one, run);
  const lists = isRecord(sent)
    ? Object.entries(sent).flatMap(([name, value]): [string, number][] =>
        Array.isArray(value) ? [[name, value.length]] : [],
      )
    : [];
  const fields = Map.groupBy(fieldsOf(requestText(one, run.bodies), one) ?? [], ([name]) => name);
  return [
    ...lists,
    ...[...fields].flatMap(([name, all]): [string, number][] => (all.length > 1 ? [[name, all.length]] : [])),
  ];
}
