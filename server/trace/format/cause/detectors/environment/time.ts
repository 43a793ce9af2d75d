import { oneLine } from "../../../error-text.ts";
import { dateSentOtherwise } from "../../exchanges/sent-dates.ts";
import { otherLanguage } from "../../page/page-language.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Evidence, Finding } from "../../types.ts";
import { areZonesApart, CLOCK, DATE } from "../../values/clock-texts.ts";
import { isMoved, isOtherForm } from "../../values/told-otherwise.ts";
import { bareOf, bodyOf, isTracker, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { languageOf } from "../session/storage.ts";
import { isOfAnotherThing, isOfOtherAge, isSpanOfTimer } from "./no-moment.ts";
import { servedTime } from "./served-time.ts";
import { shownDayOf, shownTimeOf } from "./shown-moments.ts";

/** No clock shows so little without a zero before it: how long something took or takes. */
const LASTING = /(?<![\d:.,])0:\d{2}(?!\d|\s?[ap]\.?m)/i;
/** Of a time that differs by more than zones do. */
const SPANS = 0.5;
const HOURS = /\b\d{1,4}:\d{2}(?::\d{2})?/g;

/** A date, a time or a number that differs as zone, clock or locale make it differ. */
export function detectTime(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const { expected, received } = failed;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const base: Omit<Finding, "title" | "weight"> = {
    kind: "time",
    detail: null,
    step_id: failed.step?.step_id ?? null,
    events: [seq],
    ts: failed.to,
    is_new: passes.length === 0 ? null : true,
  };
  const moved = environmentMove(evidence);
  if (moved !== null) return [{ ...base, title: moved, weight: 0.93 }];
  const mine = languageOf(run.facts);
  const theirs = passes.flatMap(({ facts }) => languageOf(facts) ?? []);
  const came = otherLanguage(evidence)?.now ?? null;
  const isOther = mine !== null && theirs.length > 0 && !theirs.includes(mine);
  const sent = isOther ? dateSentOtherwise(evidence) : null;
  const led = came === null ? sent : `the page came in the language ${quoted(came, 20)}`;
  if (isOther && (isOfLanguage(failed) || led !== null))
    return [
      {
        ...base,
        title: `The browser asked for the language ${quoted(mine, 40)}, in the last pass for ${quoted(theirs[0]!, 40)}${led === null ? shownOf(failed) : `: ${led}`}`,
        weight: led === null ? 0.9 : 0.95,
      },
    ];
  if (expected === null || received === null) return [];
  const [want, got] = [bareOf(expected), bareOf(received)];
  if (want === got) return [];
  const said = (pattern?: RegExp) =>
    `the test expected ${quoted(partOf(want, pattern), 80)} and the page showed ${quoted(partOf(got, pattern), 80)}`;
  const hasDates = DATE.test(want) && DATE.test(got);
  const isLasting = [want, got, failed.message].some((text) => LASTING.test(text));
  const hasClocks = CLOCK.test(want) && CLOCK.test(got) && !isLasting && !isSpanOfTimer(evidence);
  if (isOtherForm(failed))
    return [
      {
        ...base,
        title: `Another locale: the same ${hasDates ? "date" : hasClocks ? "time" : "amount"} in another form, for ${said(hasDates ? DATE : undefined)}${mine === null ? "" : `; the browser asked for ${quoted(mine, 40)}`}`,
        weight: 0.88,
        otherTime: "locale",
      },
    ];
  if ((hasDates || hasClocks) && isOfAnotherThing(want, got)) return [];
  if (hasDates && isOfOtherAge(want, got)) return [];
  if (hasDates && isMoved(want, got, DATE))
    return [
      {
        ...base,
        ...movedBy(
          evidence,
          DATE,
          (whose) => `Another day, by ${whose}: ${said(DATE)}`,
          () => shownDayOf(evidence),
        ),
        otherTime: "day",
      },
    ];
  if (hasClocks && isMoved(want, got, CLOCK))
    return [
      {
        ...base,
        ...movedBy(
          evidence,
          CLOCK,
          (whose) => `Another time, by ${whose}: ${said(CLOCK)}`,
          () => shownTimeOf(evidence),
        ),
        ...(passes.length === 0 && !areZonesApart(want, got) && { weight: SPANS }),
        otherTime: "time",
      },
    ];
  const span = otherSpan(want, got, isLasting ? HOURS : SPAN);
  if (span !== null && passes.length > 0 && !isAnswered(evidence, span.now)) {
    const script = changedScript(evidence);
    // Hours that were worked or passed are no matter of zones.
    if (script === null && isLasting) return [];
    const moved = isLasting ? movedOn(evidence) : "";
    const counted = `The page counted ${quoted(span.now, 30)} where the test wants ${quoted(span.then, 30)}${moved}, though every answer was the same as in the last pass`;
    return [
      script === null
        ? {
            ...base,
            title: `${counted}: such spans are counted by the clock and the time zone of the run (a day of a change to summer time has 23 hours)`,
            weight: 0.72,
          }
        : {
            ...base,
            kind: "page_changed",
            title: `${counted}; ${script.words}`,
            events: [...base.events, script.seq],
            weight: 0.72,
          },
    ];
  }
  return [];
}

/** What the page shows in the place of what the test wants, as a clause; empty where it is no text. */
function shownOf({ expected, received }: Evidence["failed"]): string {
  const [want, got] = [expected, received].map((text) => bareOf(text ?? ""));
  return want === "" || got === "" || STATE.test(want!)
    ? ""
    : `: the page shows ${quoted(got!, 60)} where the test wants ${quoted(want!, 60)}`;
}

/**
 * What made a date or a time another one: the page's own script, by the browser's clock and zone, or the server.
 * @param from what an answer or a write says of it, as a clause
 */
function movedBy(
  evidence: Evidence,
  pattern: RegExp,
  titled: (whose: string) => string,
  from: () => string,
): Pick<Finding, "title" | "weight" | "events"> {
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq!;
  const [want, got] = [failed.expected!, failed.received!].map((text) => partOf(bareOf(text), pattern));
  const said = from();
  const served = said === "" ? servedTime(evidence, want!, got!) : null;
  if (served === null) {
    // Where an answer says the moment, what changed is the zone or the script that writes it.
    const script = said === "" ? null : changedScript(evidence);
    return {
      title: `${titled(script ? "the page's script or the time zone of the run" : "the clock or the time zone of the run")}${said}${script ? `; ${script.words}` : ""}`,
      weight: 0.85,
      events: script ? [seq, script.seq] : [seq],
    };
  }
  return {
    title: `${titled("the server's clock or time zone")}${served.words}`,
    weight: served.isOtherZone ? 0.95 : 0.86,
    events: [seq, served.seq],
  };
}

const LONG = 40;

/** Of a long text with one date or hour in it, that alone. */
function partOf(text: string, pattern?: RegExp): string {
  const found = pattern && text.length > LONG ? text.match(new RegExp(pattern.source, "gi")) : null;
  return found?.length === 1 ? found[0] : text;
}

const SPAN = /\b(\d{1,4}) (days?|nights?|hours?|weeks?|minutes?)\b/gi;

/** The same span of time with another number in it; null where the texts hold none, or several. */
function otherSpan(want: string, got: string, pattern: RegExp): { now: string; then: string } | null {
  const [then, ...others] = want.match(pattern) ?? [];
  const [now, ...more] = got.match(pattern) ?? [];
  return then && now && others.length + more.length === 0 && now !== then ? { now, then } : null;
}

/** That the test had set the page's clock on, as a clause: Playwright then lets each timer run once at most, however often it is due. */
function movedOn({ run, failed }: Evidence): string {
  const step = run.facts.steps.findLast(
    ({ name, isFailed, end }) => !isFailed && end <= failed.from && /clock\.?fastForward$/i.test(name),
  );
  return step ? ` of the time elapsed after ${quotedStep(step)}, which let each timer run once at most` : "";
}

/** Whether an answer holds that span itself, or says something else than it did in all passes. */
function isAnswered({ run, passes }: Evidence, span: string): boolean {
  return run.facts.exchanges.some((one) => {
    if (one.status === null || isTracker(one.url) || !/^(?:xhr|fetch|document)$/.test(one.type ?? ""))
      return false;
    if (one.type === "document") return bodyOf(one, run.bodies)?.includes(span) ?? false;
    const usual = new Set(
      passes.flatMap(({ facts }) => exchangesOf(facts, exchangeKey(one, run.facts)).map(({ body }) => body)),
    );
    // What varies between passes varies always.
    return usual.size === 1 && !usual.has(one.body);
  });
}

const PLACES: { name: string; words: string; shows: (failed: Evidence["failed"]) => boolean }[] = [
  { name: "timezone", words: "the time zone", shows: isOfTime },
  { name: "locale", words: "the locale", shows: isOfLanguage },
];

/** The browser was set up for a zone or locale that none of the passes had, and the failure is about what that changes. */
function environmentMove({ run, passes, failed }: Evidence): string | null {
  if (passes.length === 0) return null;
  for (const { name, words, shows } of PLACES) {
    const [now, before] = [run, passes[0]!].map(({ environment }) => environment[name]);
    if (passes.some(({ environment }) => environment[name] === now) || !shows(failed)) continue;
    const told = (value: unknown) =>
      typeof value === "string" && value !== "" ? quoted(value, 60) : "the machine's own";
    return `The browser ran in ${words} ${told(now)}; in the last pass it was ${told(before)}`;
  }
  return null;
}

/** Whether the failure is about what zones and clocks change: dates, times, numbers. */
function isOfTime({ expected, received, message }: Evidence["failed"]): boolean {
  return /\d/.test(`${expected ?? ""} ${received ?? ""}`) || DATE.test(message);
}

/** What assertions expect that is no text of the page: an element's state. */
const STATE =
  /^(?:not )?(?:visible|hidden|attached|detached|enabled|disabled|checked|unchecked|indeterminate|editable|read-?only|focused|inactive|empty|in viewport|outside viewport|true|false)$/i;

/** Whether the failure is about what languages change: dates and numbers, and the words that the page shows. */
function isOfLanguage(failed: Evidence["failed"]): boolean {
  if (isOfTime(failed)) return true;
  const [want, got] = [failed.expected, failed.received].map((text) => oneLine(text ?? ""));
  return want !== "" && got !== "" && want !== got && !STATE.test(want!) && !/^<[^>]*not found>$/.test(got!);
}
