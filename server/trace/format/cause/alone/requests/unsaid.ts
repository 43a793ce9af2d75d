import { figuresAlone } from "../../exchanges/figures-alone.ts";
import { askedIn, isStoring, requestBodyOf, requestText } from "../../exchanges/sent.ts";
import { openedAfter } from "../../page/filled.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isForeign, isTracker, partingOf, pathOf, quoted, requestOf } from "../../words.ts";
import { FINDS, TYPES } from "./search.ts";
import { holds } from "./sought.ts";

const WORD = /\p{L}{3}/u;

/** What the test typed and the page then sent nothing of: a write that the test looks for it after, or a search. */
export function detectUnsaid(evidence: Evidence): Finding[] {
  return [...unwritten(evidence), ...unasked(evidence)];
}

/** A write after the typing that came without the text, which the test then looks for in vain. */
function unwritten(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const wanted = bareOf(failed.expected ?? "");
  // Figures and dates are sent in another form than they are typed in.
  if (!WORD.test(wanted)) return [];
  const typed = run.facts.steps.findLast(
    (step) =>
      TYPES.test(step.name) &&
      !step.isFailed &&
      step.end <= failed.from &&
      // It may have been typed in several parts.
      (textOf(step) === wanted || endsIn(wanted, textOf(step) ?? "")),
  );
  if (!typed) return [];
  // A page that was opened anew knows nothing of what was typed before.
  const opened = openedAfter(run.facts, typed)?.ts ?? Number.POSITIVE_INFINITY;
  const writes = dataSince(evidence, typed).filter(
    (one) => one.ts < opened && isStoring(one, run) && requestText(one, run.bodies) !== "",
  );
  const [first] = writes;
  if (!first || writes.some((one) => holds(saidIn(evidence, one), wanted))) return [];
  const cuts = writes.flatMap((one) => beginningIn(evidence, one, wanted) ?? []);
  // What is saved while it is typed has ever more of it.
  const cut = cuts.toSorted((a, b) => b.text.length - a.text.length)[0];
  if (cut) {
    const [sent, given] = partingOf(cut.text, wanted).map((text) => quoted(String(text), 60));
    return [
      finding(
        evidence,
        typed,
        cut.one,
        `was sent with ${sent} for ${quoted(cut.path, 60)}, only the beginning of what the test had typed (${given}): it was cut off`,
        0.88,
      ),
    ];
  }
  if (textOf(typed) !== wanted) return [];
  return [
    finding(
      evidence,
      typed,
      first,
      `was sent without ${quoted(wanted, 60)}, which the test had typed before`,
      0.86,
    ),
  ];
}

const endsIn = (wanted: string, text: string): boolean =>
  text.trim().length >= LEAST_BEGINNING && wanted.endsWith(text.trim());

/** A beginning of so many letters is one by chance no more. */
const LEAST_BEGINNING = 4;

/** The beginning of a text that a write was sent with in its place; a shorter one only where the test met it, too. */
function beginningIn(
  { run, failed }: Evidence,
  one: Exchange,
  wanted: string,
): { one: Exchange; path: string; text: string } | null {
  const met = bareOf(failed.received ?? "");
  for (const { path, value } of leavesOf(requestBodyOf(one, run))) {
    if (typeof value !== "string" || value === "" || value === wanted || !wanted.startsWith(value)) continue;
    if (value.length >= LEAST_BEGINNING || value === met) return { one, path, text: value };
  }
  return null;
}

/** A search that was asked for again, and without what the test had typed into it last: what else a page asks for says nothing of it. */
function unasked(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const typed = actionBefore(run.facts, failed);
  const text = typed && textOf(typed);
  if (!typed || !text || !TYPES.test(typed.name)) return [];
  const field = typed.title.replace(text, "").replace(/^\S+ [“"'][”"'] /, "");
  const asked = dataSince(evidence, typed);
  const isAgain = (one: Exchange) =>
    run.facts.exchanges.some(
      (before) =>
        before.ts < typed.ts &&
        before.operation === one.operation &&
        readablePath(before) === readablePath(one),
    );
  const last = asked.findLast(
    (one) =>
      !isStoring(one, run) &&
      !isPolling(one) &&
      isAgain(one) &&
      one.ts <= typed.end + PROMPTED_MS &&
      !isTimed(evidence, one) &&
      figuresAlone(one, run) === null,
  );
  if (
    !FINDS.test(field) ||
    !last ||
    asked.some((one) => holds(`${readableAddress(one)} ${readable(one.url)} ${saidIn(evidence, one)}`, text))
  )
    return [];
  return [
    finding(
      evidence,
      typed,
      last,
      `was sent without ${quoted(text, 60)}, which the test had typed into ${field}`,
      0.72,
    ),
  ];
}

/** A search waits for a pause in what is typed, and no longer. */
export const PROMPTED_MS = 1_500;

const MOST_TIMED = 20;
const FEWEST_TIMED = 3;
/** A timer is late now and then. */
const LATE = 1.4;

/** Whether the page asks for that at even times, whatever is done on it. */
function isTimed({ run, failed }: Evidence, { url, operation }: Exchange): boolean {
  const times = lastOf(
    run.facts.exchanges,
    MOST_TIMED,
    (one) => one.url === url && one.operation === operation && one.ts <= failed.to,
  ).map(({ ts }) => ts);
  const gaps = times.slice(1).map((ts, at) => ts - times[at]!);
  return times.length >= FEWEST_TIMED && Math.max(...gaps) <= LATE * Math.min(...gaps);
}

export const textOf = ({ params: { text, value } }: Step): string | null => {
  const given = text ?? value;
  return typeof given === "string" && given.trim() !== "" ? given : null;
};

/** Data that the page asked for from an action to the failure. */
export const dataSince = ({ run, failed }: Evidence, { ts }: Step): Exchange[] =>
  run.facts.exchanges.filter(
    (one) =>
      one.ts >= ts &&
      one.ts <= failed.to &&
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts),
  );

export const saidIn = ({ run }: Evidence, one: Exchange): string =>
  `${askedIn(one, run)} ${requestText(one, run.bodies)}`;

/** As a person reads them. */
const readablePath = ({ url }: Exchange): string => readable(pathOf(url));
export const readableAddress = ({ url }: Pick<Exchange, "url">): string => readable(url.replaceAll("+", " "));

function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are no UTF-8 stay as they are.
    return text;
  }
}

const finding = ({ run }: Evidence, typed: Step, one: Exchange, words: string, weight: number): Finding => ({
  kind: "page_changed",
  title: `${requestOf(one, run.facts)} ${words}`,
  detail: null,
  step_id: one.step_id,
  events: [typed.seq, one.requestSeq ?? one.seq],
  ts: one.ts,
  is_new: null,
  weight,
  about: `body ${one.seq}`,
});
