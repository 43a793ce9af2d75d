import { isNamedByTest } from "../difference-rank.ts";
import { isRecord } from "../differences.ts";
import { leavesOf } from "../json-leaves.ts";
import type { Exchange } from "../run-facts.ts";
import { isWrite, requestBodyOf, requestText, SECRET } from "../sent.ts";
import { fieldsOf } from "../sent-form.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { bodyOf, quoted } from "../words.ts";
import { isBehind, isOfOneThing, isOfRead } from "./one-thing.ts";
import { all, atLeast, type Change, explained, type Rule } from "./rule.ts";

/** The write whose answer a finding is about. */
const writeOf = ({ kind, is_new, events }: Finding, { run }: Evidence): Exchange | undefined =>
  kind === "answer_changed" && is_new === true
    ? run.facts.exchanges.find((one) => one.seq === events[0] && isWrite(one, run))
    : undefined;

const saying =
  (clause: string): Change =>
  (told) => ({ ...told, title: `${told.title}; ${clause}` });

/** An answer without what the test looks for, to a write that was sent with it. */
export const notTaken: Rule = (finding, { evidence }) => {
  const { run } = evidence;
  const write = writeOf(finding, evidence);
  const name = (finding.place ?? "").split("/").findLast((part) => /[a-z]/i.test(part));
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
  return sent
    ? saying(
        `it was sent with ${quoted(String(sent.value), 60)} for ${quoted(sent.path, 60)}, which was not kept`,
      )
    : null;
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
