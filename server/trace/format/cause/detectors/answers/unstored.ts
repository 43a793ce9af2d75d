import { isBeside } from "../../alone/beside.ts";
import { isWrite, requestBodyOf, requestText, STORING } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { oncePer } from "../../once.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { hasNumber } from "../../values/figures.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { isToken } from "../../values/made-values.ts";
import { aboutUrl, bodyOf, isTracker, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isAfter } from "./behind-write.ts";

const MOST_WRITES = 20;
const MOST_READS = 40;
const MOST_IDS = 10;
/** Answers before a write in which its ids are looked for. */
const MOST_BEFORE = 100;

/** What a write said that it made, and what every pass reads right after the same write: here it is read nowhere. */
export function detectUnstored(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const writes = run.facts.exchanges.filter((one) => isMaking(one, run) && one.end! <= failed.to);
  return writes.slice(-MOST_WRITES).flatMap((write): Finding[] => {
    const usual = passes.map((pass) => ofSameTurn(write, run.facts, pass.facts));
    const ids = madeBy(run, write);
    for (const read of lastReads(write, run, failed.to)) {
      // What was not recorded is not known to lack anything.
      if (bodyOf(read, run.bodies) === undefined) continue;
      const said = valuesOf(run, read);
      const made = ids.find(
        ({ path, value }) =>
          !said.has(value) &&
          !isOfTwin(evidence, write, path, said) &&
          passes.every((pass, at) => isReadIn(pass, usual[at], path, exchangeKey(read, run.facts))),
      );
      if (made) return [findingOf(evidence, { write, read, made })];
    }
    return [];
  });
}

function findingOf(
  { run }: Evidence,
  { write, read, made }: { write: Exchange; read: Exchange; made: Leaf },
): Finding {
  const copy = staleness(read);
  const witness = copy === null ? keptBy(run, { write, read, made }) : undefined;
  const why = witness
    ? `it was stored, since ${requestOf(witness, run.facts)} has it; ${isAsBefore(run, write, read) ? "this answer is the one from before that, as out of a cache" : "this answer leaves it out, or is from before that"}`
    : copy === null
      ? "it was not stored, or not yet"
      : `it came ${copy}`;
  return {
    kind: "answer_changed",
    title: `${requestOf(read, run.facts)} came without what ${requestOf(write, run.facts)} had made and answered with ${write.status} (${quoted(String(made.value), 40)}), which it has in every pass: ${why}`,
    detail: null,
    step_id: read.step_id,
    events: [read.seq, write.seq, ...(witness ? [witness.seq] : [])],
    ts: read.end ?? read.ts,
    is_new: true,
    weight: 0.96,
    about: aboutUrl(read.url, run.facts, read.operation),
    isRead: true,
  };
}

/** The answer to a read of its own that had what a write had made before the list was asked for that lacks it: then it was stored by then. */
function keptBy(
  run: RunEvidence,
  { write, read, made }: { write: Exchange; read: Exchange; made: Leaf },
): Exchange | undefined {
  const key = exchangeKey(read, run.facts);
  return lastOf(
    run.facts.exchanges,
    MOST_READS,
    (one) =>
      one.method === "GET" &&
      isAfter(one, write) &&
      one.end !== null &&
      one.end <= read.ts &&
      isAnswered(one) &&
      staleness(one) === null &&
      exchangeKey(one, run.facts) !== key,
  ).find((one) => valuesOf(run, one).has(made.value));
}

/** Whether the last answer to the same question before a write was the same to the letter. */
function isAsBefore(run: RunEvidence, write: Exchange, read: Exchange): boolean {
  const before = exchangesOf(run.facts, exchangeKey(read, run.facts)).findLast(
    ({ ts, url }) => ts < write.ts && url === read.url,
  );
  return before !== undefined && bodyOf(before, run.bodies) === bodyOf(read, run.bodies);
}

const isAnswered = (one: Exchange): boolean =>
  /^(?:xhr|fetch|api)$/.test(one.type ?? "") &&
  one.end !== null &&
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  !isBeside(one);

const isTaken = (one: Exchange, run: RunEvidence): boolean =>
  STORING.has(one.method) && isAnswered(one) && isWrite(one, run);

const isMaking = (one: Exchange, run: RunEvidence): boolean => isTaken(one, run) && !isSignIn(run, one);

/** Who signs in makes nothing: the answer says who that is, by an id that each run may have another of. */
const isSignIn = oncePer((run: RunEvidence, one: Exchange): boolean => {
  if (!SIGN_IN.test(pathOf(one.url))) return false;
  const said = [requestBodyOf(one, run), jsonOf(bodyOf(one, run.bodies) ?? "")];
  return said.flatMap(leavesOf).some(({ path }) => OF_SESSION.test(path));
});

const OF_SESSION = /pass(?:word|wd|code|phrase)|token|(?:^|\.)(?:otp|pin)$/i;

/** The ids of a write's answer that nobody knew before it. */
const madeBy = oncePer((run: RunEvidence, write: Exchange): Leaf[] => {
  const ids = leavesOf(jsonOf(bodyOf(write, run.bodies) ?? ""))
    .filter(({ path, value }) => (isToken(value) && OF_ID.test(path)) || isNumbered(path, value))
    .slice(0, MOST_IDS);
  if (ids.length === 0) return [];
  const sent = `${write.url} ${requestText(write, run.bodies)}`;
  const known = lastOf(run.facts.exchanges, MOST_BEFORE, (one) => one !== write && one.ts <= write.ts).map(
    (one) => `${one.url} ${bodyOf(one, run.bodies) ?? ""}`,
  );
  const isIn = (text: string, value: unknown) =>
    typeof value === "number" ? hasNumber(text, value) : text.includes(String(value));
  return ids.filter(({ value }) => [sent, ...known].every((text) => !isIn(text, value)));
});

/** Whether a thing is known by its number. A small one may be anything else. */
const isNumbered = (path: string, value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= SMALLEST && isIdAt(path);

const SMALLEST = 100;

const OF_ID = /(?:^|[._a-z])(?:[iI]d|uuid|ref|number|code)$/;

/** What was asked for after a write and before the next one, or before somebody else signed in: the last of each question. */
function lastReads(write: Exchange, run: RunEvidence, until: number): Exchange[] {
  const next =
    run.facts.exchanges.find((one) => one !== write && one.ts > write.end! && isTaken(one, run))?.ts ?? until;
  const reads = run.facts.exchanges.filter(
    (one) => one.method === "GET" && isAfter(one, write) && one.ts <= next && isAnswered(one),
  );
  const last = new Map(reads.map((one) => [exchangeKey(one, run.facts), one]));
  return [...last.values()].slice(-MOST_READS);
}

/** Whether the read is of what the same write made that was sent once too often beside it. */
const isOfTwin = (
  { run, passes }: Evidence,
  write: Exchange,
  path: string,
  said: ReadonlySet<unknown>,
): boolean => {
  const key = exchangeKey(write, run.facts);
  const sent = requestText(write, run.bodies);
  const same = exchangesOf(run.facts, key);
  return (
    passes.every(({ facts }) => exchangesOf(facts, key).length < same.length) &&
    same
      .slice(-MOST_WRITES)
      .some(
        (twin) =>
          twin !== write &&
          requestText(twin, run.bodies) === sent &&
          madeBy(run, twin).some((leaf) => leaf.path === path && said.has(leaf.value)),
      )
  );
};

const valuesOf = oncePer(
  ({ bodies }: RunEvidence, one: Exchange): ReadonlySet<unknown> =>
    new Set(leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).map(({ value }) => value)),
);

/** Whether a pass read what the same write had made as soon as it asked. What has it was asked after it, whenever the write's answer was noted. */
function isReadIn(pass: RunEvidence, write: Exchange | undefined, path: string, key: string): boolean {
  if (!write || !isMaking(write, pass)) return false;
  const made = madeBy(pass, write).find((leaf) => leaf.path === path);
  if (!made) return false;
  const isMade = (one: Exchange) => valuesOf(pass, one).has(made.value);
  const read = exchangesOf(pass.facts, key).find(
    (one) => one.ts > write.ts && isAnswered(one) && (isAfter(one, write) || isMade(one)),
  );
  return read !== undefined && isMade(read);
}
