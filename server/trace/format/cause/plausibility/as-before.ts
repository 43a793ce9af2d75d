import { isBeside } from "../alone/beside.ts";
import { dataIn } from "../exchanges/asked-again.ts";
import { valueAt } from "../exchanges/difference-words.ts";
import { isWrite, requestBodyOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { isRecord, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, isTracker, pathOf, quoted, requestOf } from "../words.ts";
import { isOfRead } from "./one-thing.ts";
import { all, atLeast, type Change, type Rule } from "./rule.ts";

/** Answers in which the value of before is looked for. */
const MOST = 30;

/** What a write changes in every pass, and was read after it as it had been before: told with the write. */
export const asBeforeWrite: Rule = (finding, { evidence: { run, passes } }) => {
  if (!isOfRead(finding) || finding.is_new !== true || passes.length === 0) return null;
  const path = finding.place?.slice(1).replaceAll("/", ".");
  const read = run.facts.exchanges.find(({ seq }) => seq === finding.events[0]);
  const now = path && read ? leafAt(path, read, run) : undefined;
  if (!read || !path || now === undefined) return null;
  const key = exchangeKey(read, run.facts);
  const before = answersTo(key, run).findLast(
    (one) => one.url === read.url && one.end! <= read.ts && leafAt(path, one, run) === now,
  );
  const isBetween = (one: Exchange) => one.ts >= before!.ts && one.end! <= read.ts;
  const write =
    before &&
    (writesOf(run, "writes").findLast(isBetween) ??
      onlyOne(
        unknownOf(run, "unknown").filter((one) => isBetween(one) && exchangeKey(one, run.facts) !== key),
      ));
  if (!write) return null;
  const isMovedIn = (pass: RunEvidence) => {
    const same = ofSameTurn(write, run.facts, pass.facts);
    const answers = same ? answersTo(key, pass) : [];
    const [earlier, later] = [
      answers.findLast((one) => one.ts < same!.ts),
      answers.find((one) => one.ts >= (same!.end ?? same!.ts)),
    ].map((one) => one && leafAt(path, one, pass));
    return earlier === now && later !== undefined && later !== now;
  };
  if (!passes.every(isMovedIn)) return null;
  const told = withWrite(write, labelOf(path, read, run), run);
  return isThere(write, read, run) ? all(told, atLeast(0.9)) : told;
};

/** Whether an answer has the thing that a request before it removed: the last part of its path. */
const isThere = ({ method, url }: Exchange, read: Exchange, run: RunEvidence): boolean =>
  method === "DELETE" && [...valuesOf(run, read).values()].map(String).includes(lastPartOf(url));

const lastPartOf = (url: string): string => pathOf(url).replace(/\/$/, "").split("/").at(-1)!;

const onlyOne = <One>(all: readonly One[]): One | undefined => (all.length === 1 ? all[0] : undefined);

function withWrite(write: Exchange, label: string | null, { facts }: RunEvidence): Change {
  const words = `still as before ${requestOf(write, facts)}, which was answered with ${write.status}`;
  return (told) => {
    if (told.title.includes(AS_BEFORE))
      return {
        ...told,
        title: told.title.replace(AS_BEFORE, () => ` still the same as ${words.replace("still as ", "")}:`),
        events: [...told.events, write.seq],
      };
    // What the write was sent with says more.
    if (/had been sent with|still the (?:old value|same)/.test(told.title)) return told;
    const what = label === null || told.title.includes(label) ? "it is" : `${quoted(label, 60)} is`;
    return { ...told, title: `${told.title}; ${what} ${words}`, events: [...told.events, write.seq] };
  };
}

/** How an answer is told that says what it had said. */
const AS_BEFORE = " still the same as when it was asked before:";

const isAnswered = ({ status, end }: Exchange): boolean =>
  end !== null && status !== null && status >= 200 && status < 300;

const writesOf = oncePer((run: RunEvidence, _: "writes"): Exchange[] =>
  run.facts.exchanges.filter((one) => isOfPage(one) && isWrite(one, run)),
);

/** Operations of which nothing says whether they write: the text of a stored query is not sent. */
const unknownOf = oncePer((run: RunEvidence, _: "unknown"): Exchange[] =>
  run.facts.exchanges.filter((one) => {
    if (!isOfPage(one) || one.operation === null || isWrite(one, run)) return false;
    const sent = requestBodyOf(one, run);
    return isRecord(sent) && typeof sent.query !== "string";
  }),
);

const isOfPage = (one: Exchange): boolean =>
  isAnswered(one) && /^(?:xhr|fetch)$/.test(one.type ?? "") && !isTracker(one.url) && !isBeside(one);

const answersTo = (key: string, { facts }: RunEvidence): Exchange[] =>
  exchangesOf(facts, key).slice(-MOST).filter(isAnswered);

const dataOf = oncePer(({ bodies }: RunEvidence, one: Exchange) => dataIn(bodyOf(one, bodies) ?? ""));

const valuesOf = oncePer(
  (run: RunEvidence, one: Exchange) =>
    new Map(leavesOf(dataOf(run, one)).map(({ path, value }) => [path, value])),
);

const leafAt = (path: string, one: Exchange, run: RunEvidence): unknown => valuesOf(run, one).get(path);

/** What the item of a list is called that a value stands in; null where it stands in none. */
function labelOf(path: string, one: Exchange, run: RunEvidence): string | null {
  const around = path.slice(0, path.lastIndexOf("."));
  const item = /(?:^|\.)\d+$/.test(around)
    ? valueAt(dataOf(run, one), `/${around.replaceAll(".", "/")}`)
    : null;
  const label = isRecord(item)
    ? LABELS.map((name) => item[name]).find((text) => typeof text === "string")
    : null;
  return typeof label === "string" && label !== "" ? label : null;
}

const LABELS = ["label", "name", "title"];
