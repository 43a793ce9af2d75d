import { oneLine } from "../../../error-text.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { begunMeanwhile } from "../../run/select.ts";
import {
  type Hunk,
  hunksOf,
  isUsedIn,
  type Reach,
  reachOf,
  wayThrough,
} from "../../test-code/test-changes.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DAY_MS, dayOf } from "../../values/dates.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";
import { waitsLess } from "./shorter-wait.ts";

const WEIGHTS: Record<Reach, number> = { failed: 0.9, run: 0.82, options: 0.9, set: 0.6, none: 0 };
const PLACES: Record<Reach, string> = {
  failed: ", where it failed",
  run: ", before it failed",
  options: ", in what its browser is set up with",
  set: "",
  none: "",
};
const MOST = 3;

/** The test's own files say something else than in the last pass, where this run came by: the test was changed. */
export function detectRewrittenTest(evidence: Evidence): Finding[] {
  const { run, passes, failed, testFiles = [] } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (passes.length === 0 || seq === null) return [];
  const steps = run.facts.steps.filter((one) => one.seq <= seq);
  const reached = testFiles.flatMap((file) => {
    const way = wayThrough(file, failed, steps, run.sources);
    return hunksOf(file).map((hunk) => {
      const reach = reachOf(hunk, way, failed);
      return { hunk, reach: reach === "set" && isUsedIn(hunk, steps) ? ("run" as const) : reach };
    });
  });
  return reached
    .filter(({ reach }) => reach !== "none")
    .sort((a, b) => WEIGHTS[b.reach] - WEIGHTS[a.reach])
    .slice(0, MOST)
    .map(({ hunk, reach }) => ({ hunk, reach, left: leftBehind(hunk, steps, failed) }))
    .map(({ hunk, reach, left }) => ({
      kind: "test_code",
      title: `The test was changed since the last pass, at ${placeOf(hunk)}${PLACES[reach]}: ${(reach === "failed" ? waitsLess(hunk, evidence) : null) ?? changeOf(hunk)}${left ?? (readsOnce(hunk) || passedDay(hunk, run.facts))}`,
      detail: [...hunk.before.map((line) => `- ${line}`), ...hunk.now.map((line) => `+ ${line}`)].join("\n"),
      step_id: failed.step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: true,
      weight: WEIGHTS[reach],
      isOfTest: reach !== "set" && reached.filter((one) => one.reach !== "none").length <= MOST,
      isOfNetwork: NETWORK.test(changeOf(hunk)),
      isOfClock: [...hunk.now, ...hunk.before].every((line) => CLOCK.test(line)),
      isAwaitGone: hunk.now.length === 0 && hunk.before.some((line) => AWAIT.test(line)),
      isUnawaited: left !== null,
      ...sinceIn(hunk, steps),
      // Of the failed step its counterpart in the last pass may tell the same.
      ...(reach === "failed" && { about: `test ${seq}` }),
    }));
}

const NETWORK = /\b(?:route|unroute|setOffline|routeFromHAR)\b/;
const CLOCK = /\bclock\b/;
const AWAIT = /(?<=^|[ =(])await /;

/**
 * Of a call that is no longer waited for, as a clause: what the test went on to before it was done; null where the change
 * is another one, or nothing went on.
 */
function leftBehind(
  { file, line, now, before }: Hunk,
  steps: readonly Step[],
  { expected }: Evidence["failed"],
): string | null {
  const kept = new Set(now.map((text) => text.replace(/^void /, "")));
  if (!before.some((text) => AWAIT.test(text) && kept.has(text.replace(AWAIT, "")))) return null;
  const isOfIt = ({ stack }: Step) =>
    stack.some((at) => at.file === file && at.line >= line && at.line < line + now.length);
  const calls = steps.filter(isOfIt);
  const wanted = bareOf(expected ?? "");
  if (OF_PROMISE.test(wanted))
    return `: not awaited, a promise made ${quoted(wanted, 40)} of what the test expects`;
  for (const call of calls) {
    const next = begunMeanwhile(call, steps, isOfIt);
    if (next) return `, so that it went on to ${quotedStep(next)} before ${quotedStep(call)} was done`;
  }
  return null;
}

/** What scripts make of a promise that they take for a value. */
const OF_PROMISE = /\bNaN\b|\[object Promise\]/;

/** That an expectation that looked again until it held now compares what was read once, as a clause; empty where the change is another one. */
function readsOnce({ now, before }: Hunk): string {
  const isWaiting = (line: string) => WAITS.test(line);
  return before.some(isWaiting) && !now.some(isWaiting) && now.some((line) => READS_ONCE.test(line))
    ? ": it reads that once, without waiting until it is so"
    : "";
}

const WAITS = /\bawait expect(?:\.soft)?\(/;
const READS_ONCE =
  /\bexpect(?:\.soft)?\(\s*\(?await\b|= await [^;]{1,200}\.(?:innerText|innerHTML|textContent|inputValue|getAttribute|count|all(?:InnerTexts|TextContents)|is(?:Visible|Hidden|Enabled|Disabled|Checked))\(/;

/**
 * That a day stands in the changed lines which had passed when the test ran, as a clause; empty where none does. The zone
 * that the day is meant in is not known, so that it has to be over in the last zone of the earth. A time that the page's
 * clock is set to may lie where it will.
 */
function passedDay({ now, before }: Hunk, { firstTs }: RunFacts): string {
  const known = new Set(before.flatMap(daysIn));
  const today = dayOf(firstTs - LAST_ZONE_MS) ?? "";
  const passed = now
    .filter((line) => !CLOCK.test(line))
    .flatMap(daysIn)
    .find((day) => !known.has(day) && day < today);
  return passed === undefined ? "" : `; ${passed} was in the past when it ran, on ${dayOf(firstTs)}`;
}

/** By how much the zone UTC-12 is behind. */
const LAST_ZONE_MS = DAY_MS / 2;
const daysIn = (line: string): readonly string[] => line.match(DAY) ?? [];
const DAY = /(?<!\d)20\d\d-[01]\d-[0-3]\d(?!\d)/g;

/** When the first step came that the changed lines do, or that comes after them in their file. */
function sinceIn(
  { file, line, moved }: Hunk,
  steps: readonly Step[],
): Pick<Finding, "changedFrom" | "isMovedTest"> {
  const from = moved ? Math.min(line, moved.from) : line;
  const first = steps.find(({ stack }) => stack.some((at) => at.file === file && at.line >= from));
  return first ? { changedFrom: first.ts, isMovedTest: moved !== undefined } : {};
}

const placeOf = ({ file, line }: Hunk) => `${file.split(/[\\/]/).slice(-2).join("/")}:${line}`;

/** Lines that are new or gone as a whole, where of the others only what a function is given has changed for them; null where more has. */
function wholeLines(now: readonly string[], before: readonly string[]): string | null {
  const isMore = now.length > before.length;
  const [many, few] = isMore ? [now, before] : [before, now];
  const known = new Set(few.map(withoutGiven));
  const alone = many.filter((line) => !known.has(withoutGiven(line)));
  if (alone.length === 0 || alone.length !== many.length - few.length) return null;
  return `${quoted(alone.join(" "), SHOWN)} is ${isMore ? "new" : "gone"}`;
}

const withoutGiven = (line: string): string => line.replace(/\(\{[^{}]*\}\)/g, "()");

const SHOWN = 80;
/** Of what both have around the difference, and at least. */
const AROUND = 40;
const LEAST_AROUND = 12;

/** Of the signs that something is left out. */
const MARKS = 3;

/** What one line has become, from a word or so before the difference to one after it. */
function changeOf({ now, before, moved }: Hunk): string {
  const [mine, theirs] = [oneLine(now.join(" ")), oneLine(before.join(" "))];
  if (moved) {
    const [here, there] = moved.isDown ? ["after", "before"] : ["before", "after"];
    return `${quoted(mine, SHOWN)} was moved: it comes ${here} ${quoted(moved.past, SHOWN)} now, and came ${there} it`;
  }
  if (mine === "") return `${quoted(theirs, SHOWN)} is gone`;
  if (theirs === "") return `${quoted(mine, SHOWN)} is new`;
  const whole = wholeLines(now, before);
  if (whole) return whole;
  const shorter = Math.min(mine.length, theirs.length);
  let lead = 0;
  while (lead < shorter && mine[lead] === theirs[lead]) lead += 1;
  let tail = 0;
  while (tail < shorter - lead && mine.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const after = Math.min(tail, AROUND);
  const differing = Math.max(mine.length, theirs.length) - lead - tail;
  const word = lead <= AROUND ? 0 : mine.lastIndexOf(" ", lead - AROUND) + 1;
  // What differs is told whole, whatever long word stands before it.
  const most = Math.max(LEAST_AROUND, SHOWN - differing - after - MARKS);
  const from = lead - word <= most ? word : lead - most;
  const left = tail - after;
  const shown = (text: string) =>
    quoted(`${from > 0 ? "… " : ""}${text.slice(from, text.length - left)}${left > 0 ? "…" : ""}`, SHOWN);
  return `${shown(mine)}, where it had ${shown(theirs)}`;
}
