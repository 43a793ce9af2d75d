import { oneLine } from "../../../error-text.ts";
import { figuresAlone } from "../../exchanges/figures-alone.ts";
import { answeredWith, isRead, isStoring } from "../../exchanges/sent.ts";
import { knownActs } from "../../page/acts.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isFigureOf } from "../../values/figures.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { bareOf, isForeign, NOTHING, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 60;
/** A page needs no longer to draw what came. */
const DRAWN_MS = 500;
const LONGEST = 80;

/** A text that stands as it stood before a write that was taken: nothing of it was read again since, or it was and the page did not draw it. */
export function detectShownAsBefore(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => oneLine(bareOf(text ?? ""))) as [
    string,
    string,
  ];
  // A page without a value has drawn what came, and found nothing in it.
  if (failed.received === null || got === "" || want === got || got.length > LONGEST || NOTHING.test(got))
    return [];
  const write = writeOfAction(evidence);
  if (!write || !stoodBefore(evidence, got)) return [];
  const since = run.facts.exchanges.filter(
    (one) => one.ts >= write.ts && one.ts <= failed.to && one !== write && isOfPage(one, evidence),
  );
  if (since.some(({ type }) => type === "document")) return [];
  const reads = since.filter((one) => isRead(one, run) && !isTick(one, write, evidence));
  const drawn = reads.flatMap((one) => wantedIn(one, want, evidence).map((path) => ({ one, path }))).at(-1);
  const said = `${requestOf(write, run.facts)}, answered with ${write.status}`;
  if (drawn)
    return [
      finding(
        write,
        drawn.one,
        `${requestOf(drawn.one, run.facts)} answered with ${quoted(want, 40)} for ${quoted(drawn.path, 60)} after ${said}, and the page still shows ${quoted(got, 60)}, as before: it was not updated by what came`,
      ),
    ];
  if (reads.some((one) => !isSilent(one, [want, got], evidence)) || isSaid(write, want, evidence)) return [];
  const before = readBefore(write, got, evidence);
  const what = before
    ? `${requestOf(before.one, run.facts)} was not asked for again`
    : reads.length === 0
      ? "Nothing was asked for again"
      : "Nothing of what the page shows was asked for again";
  return [
    finding(
      write,
      before?.one ?? write,
      `${what} after ${said}: the page was not refreshed and still shows ${quoted(got, 60)}${before ? `, its ${quoted(before.path, 40)} from before` : ""}`,
    ),
  ];
}

/** What the last action stored, where the step waited long enough after it. */
function writeOfAction(evidence: Evidence): Exchange | undefined {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const [write] = answersBefore(
    evidence,
    1,
    (one) => action !== null && one.ts >= action.ts && isStoring(one, run) && isOfPage(one, evidence),
  );
  const isTaken = write && !isRefusedBy(write, run) && (write.status ?? 400) < 300;
  return isTaken && write.type !== "document" && (write.end ?? failed.to) < failed.to - DRAWN_MS
    ? write
    : undefined;
}

const isOfPage = (one: Exchange, { run }: Evidence): boolean =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") && !isBeside(one) && !isForeign(one.url, run.facts);

/** Whether the one element that the step looks at had the same text when the last action was done, on the same page. */
function stoodBefore(evidence: Evidence, got: string): boolean {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const met = knownActs(evidence).findLast(({ step }) => step.seq === action?.seq)?.met;
  if (!met || !run.page || pathOf(met.shot.url) !== pathOf(run.page.shot.url)) return false;
  const was = foundWithin(targetOf(evidence), met.elements);
  return was.length === 1 && closed(was[0]!.text) === closed(got);
}

/** Cells stand apart, and are read as one text. */
const closed = (text: string): string => text.replace(/\s+/g, "");

/** Whether a page asks for it every so often, for a few figures. */
const isTick = (one: Exchange, write: Exchange, { run }: Evidence): boolean =>
  figuresAlone(one, run) !== null &&
  one.ts > (write.end ?? write.ts) + DRAWN_MS &&
  exchangesOf(run.facts, exchangeKey(one, run.facts)).some(({ ts }) => ts < write.ts);

/** Where an answer has what the step wants, by a name that it looks for: a value, or a list of as many things. */
function wantedIn(one: Exchange, want: string, evidence: Evidence): string[] {
  const data = answeredWith(one, evidence.run);
  const looked = new Set(topicsOf(`${targetOf(evidence)} ${want}`));
  const isNamed = (path: string) => topicsOf(path.split(".").at(-1)!).some((topic) => looked.has(topic));
  const lists = listsIn(data).flatMap(({ path, items }) =>
    items.length > 1 && isFigureOf(items.length, want) ? [path] : [],
  );
  const values = leavesOf(data).flatMap(({ path, value }) =>
    String(value) === want || (typeof value === "number" && isFigureOf(value, want)) ? [path] : [],
  );
  return [...values, ...lists].filter(isNamed);
}

/** Whether an answer is known and has nothing of what the page shows or should. */
function isSilent(one: Exchange, texts: readonly string[], { run }: Evidence): boolean {
  const data = answeredWith(one, run);
  if (data === undefined) return false;
  const said = new Set(leavesOf(data).map(({ value }) => String(value)));
  return !texts.some((text) => said.has(text) || (text.match(PARTS) ?? []).some((part) => said.has(part)));
}

const PARTS = /\d[\d.,]*|\p{L}{3,}/gu;

/** Whether the write's own answer has what the step wants. */
const isSaid = (write: Exchange, want: string, { run }: Evidence): boolean =>
  leavesOf(answeredWith(write, run)).some(({ value }) => String(value) === want);

/** The answer that the page has its text from. */
function readBefore(
  write: Exchange,
  got: string,
  evidence: Evidence,
): { one: Exchange; path: string } | undefined {
  const { run } = evidence;
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => one.ts < write.ts && isRead(one, run) && isOfPage(one, evidence),
  );
  for (const one of reads.toReversed()) {
    const leaf = leavesOf(answeredWith(one, run)).find(({ value }) => String(value) === got);
    if (leaf) return { one, path: leaf.path };
  }
  return undefined;
}

const finding = (write: Exchange, one: Exchange, title: string): Finding => ({
  kind: "page_changed",
  title,
  detail: null,
  step_id: write.step_id,
  events: one === write ? [write.seq] : [write.seq, one.seq],
  ts: write.end ?? write.ts,
  is_new: null,
  weight: 0.86,
  about: `unread ${write.seq}`,
});
