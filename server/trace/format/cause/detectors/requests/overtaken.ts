import { oneLine } from "../../../error-text.ts";
import { isBefore, isNew } from "../../compare.ts";
import { isWrite, requestBodyOf, requestText, SECRET } from "../../exchanges/sent.ts";
import { textsOf } from "../../page/page-texts.ts";
import { exchangeKey } from "../../run/keys.ts";
import { isOneForAll } from "../../run/operations.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, lapse, quoted, requestOf } from "../../words.ts";
import { isOfNewer } from "./drawn-newer.ts";
import { countShown } from "./shown-count.ts";

const MOST = 50;

/** An older question to the same address whose answer came after that to a newer one. */
export function detectOvertaken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  return overtakings(run)
    .filter(([older]) => isBefore(evidence, older.end!) && !isDrawnSince(evidence, older))
    .flatMap(([older, newer]): Finding[] => {
      const shown = shownOf(evidence, older, newer);
      // One address answers everything, and most of it beside other things: only the page tells what is in whose place.
      const [last] = pagesSince(run, older);
      if (last && isOfNewer(last, older, newer, run) && !isCountOf(evidence, older, newer)) return [];
      if (isOneForAll(older) && (shown === null || isShownBeside(evidence, older, newer))) return [];
      const counted =
        shown === null && last && last === run.page
          ? countShown(evidence, countsIn(older, run), countsIn(newer, run))
          : null;
      const [asked, askedLater] = namesOf(older, newer, run);
      return [
        {
          kind: "out_of_order",
          title: `The answer to ${asked} came ${lapse(older.end! - newer.end!)} after that to ${askedLater}, which was asked later: ${shown !== null ? `the page shows ${quoted(shown, 60)}, which only the older answer has` : counted !== null ? `the page says ${quoted(counted, 60)}, as many as only the older answer has` : "the older answer may have overwritten the newer one"}`,
          detail: `It took ${lapse(older.end! - older.ts)}, the newer one ${lapse(newer.end! - newer.ts)}.`,
          step_id: older.step_id,
          events: [older.seq, newer.seq],
          ts: older.end,
          // Passes may have had that order as well, and known what to do with it.
          is_new:
            counted !== null || (shown !== null && evidence.passes.length > 0)
              ? true
              : isNew(evidence, (pass) =>
                  overtakings(pass).some(
                    ([other]) => exchangeKey(other, pass.facts) === exchangeKey(older, run.facts),
                  ),
                ),
          weight:
            run.facts.steps.some(
              (step) => NAVIGATES.test(step.name) && holds(step, older) && holds(step, newer),
            ) || isCountOf(evidence, newer, older)
              ? 0.5
              : isCountOf(evidence, older, newer) || counted !== null
                ? 0.96
                : shown !== null && isWhatCame(evidence, shown)
                  ? 0.96
                  : 0.82,
          isShown: shown !== null || counted !== null,
          about: `order ${aboutUrl(older.url, run.facts, older.operation)}`,
        },
      ];
    });
}

/** Whether the same was asked for again and answered after that: the page shows neither of the two any more. */
const isDrawnSince = ({ run, failed }: Evidence, older: Exchange): boolean =>
  run.facts.exchanges.some(
    (one) =>
      one.ts > older.end! &&
      one.end !== null &&
      one.end < failed.to &&
      isAnswered(one) &&
      isQuestion(one, run) &&
      thingOf(one) === thingOf(older),
  );

/** Whether one of two answers has a list of as many things as the test counted, and the other has none. */
function isCountOf(evidence: Evidence, one: Exchange, other: Exchange): boolean {
  const { run, failed } = evidence;
  const { received } = failed;
  const count = /^\d{1,6}$/.test(received?.trim() ?? "") ? Number(received) : null;
  const [mine, theirs] = [one, other].map((each) => countsIn(each, run));
  const isOfCount = count !== null && mine!.includes(count) && !theirs!.includes(count);
  // A page that shows nothing of an answer counts other things.
  return isOfCount && (pagesSince(run, one).length === 0 || isShownBeside(evidence, other, one));
}

const countsIn = (one: Exchange, { bodies }: RunEvidence): number[] =>
  lengthsIn(jsonOf(bodyOf(one, bodies) ?? ""));

/** How many things the lists of an answer have: itself, and those right in it. */
const lengthsIn = (value: unknown): number[] =>
  (Array.isArray(value) ? [value] : isRecord(value) ? Object.values(value) : []).flatMap((list) =>
    Array.isArray(list) ? [list.length] : [],
  );

/** Whether it is what the test met in the place of what it wants. */
const isWhatCame = ({ failed: { expected, received } }: Evidence, text: string): boolean =>
  isSaidIn(received ?? "", text) && !(expected ?? "").includes(text);

/** Whether it stands in a longer text; a figure as one of its own, and not within another one. */
const isSaidIn = (whole: string, text: string): boolean =>
  whole.includes(text) &&
  (!NUMBER.test(text) || (whole.match(NUMBERS) ?? []).some((number) => number === text));

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NUMBERS = /-?\d+(?:\.\d+)?/g;

/** What two questions are called: those to one address by the value in which they differ. */
function namesOf(older: Exchange, newer: Exchange, run: RunEvidence): [string, string] {
  const { facts } = run;
  const part = isOneForAll(older) ? apartIn(older, newer, run) : null;
  const nameOf = (one: Exchange, value: unknown) =>
    `${requestOf(one, facts)}${part === null || SECRET.test(part.path) ? "" : ` with ${quoted(String(value), 40)} for ${quoted(part.path, 60)}`}`;
  return [nameOf(older, part?.older), nameOf(newer, part?.newer)];
}

/** The one value in which what two operations were sent with differs; null where more do. */
function apartIn(older: Exchange, newer: Exchange, run: RunEvidence) {
  const [mine, theirs] = [older, newer].map(
    (one) => new Map(leavesOf(requestBodyOf(one, run)).map(({ path, value }) => [path, value])),
  ) as [Map<string, unknown>, Map<string, unknown>];
  const paths = [...new Set([...mine.keys(), ...theirs.keys()])];
  // JSON-RPC numbers its questions.
  const apart = paths.filter((path) => path !== "id" && mine.get(path) !== theirs.get(path));
  const [path] = apart;
  return path === undefined || apart.length > 1
    ? null
    : { path, older: mine.get(path), newer: theirs.get(path) };
}

/** A text that the older of two answers alone has and the page shows, as no page of a pass does; null where there is none. */
function shownOf(evidence: Evidence, older: Exchange, newer: Exchange): string | null {
  const { run, passes } = evidence;
  const known = new Set(textsIn(newer, run));
  const pages = pagesSince(run, older);
  const isCounted = isCount(evidence);
  return (
    textsIn(older, run).find(
      (text) =>
        !known.has(text) &&
        !(isCounted && FIGURE.test(text)) &&
        ((isWhatCame(evidence, text) && pages.some((page) => isWithinText(page, text))) ||
          (pages.some((page) => isShownOn(page, text)) && !passes.some(({ page }) => isShownOn(page, text)))),
    ) ?? null
  );
}

/** Whether the test counts elements: a figure that it met then stands nowhere on the page for that. */
const isCount = ({ failed: { step, message } }: Evidence): boolean =>
  /toHaveCount/.test(`${step?.name ?? ""} ${message}`);

const FIGURE = /^\d{1,2}$/;

/** Whether the page shows something that only the newer answer has. */
function isShownBeside({ run }: Evidence, older: Exchange, newer: Exchange): boolean {
  const known = new Set(textsIn(older, run));
  const pages = pagesSince(run, older);
  return textsIn(newer, run).some(
    (text) => /\p{L}/u.test(text) && !known.has(text) && pages.some((page) => isShownOn(page, text)),
  );
}

/** What an answer says: the values of JSON, the texts of a part of a page. */
function textsIn(one: Exchange, { bodies }: RunEvidence): string[] {
  const body = bodyOf(one, bodies) ?? "";
  if (/html/.test(one.mediaType)) return textsOf(body).filter((text) => text.length > 2);
  return leavesOf(jsonOf(body)).flatMap(({ value }) =>
    (typeof value === "string" && value.length > 2) || typeof value === "number" ? [String(value)] : [],
  );
}

const pagesSince = ({ page, before }: RunEvidence, { end }: Exchange): SeenPage[] =>
  [page, before ?? null].filter((one) => one !== null && one.shot.ts >= end!) as SeenPage[];

const isWithinText = (page: SeenPage, text: string): boolean =>
  page.elements.some(({ own, isHidden }) => !isHidden && isSaidIn(oneLine(own), text));

const isShownOn = (page: SeenPage | null, text: string): boolean =>
  page?.elements.some(({ own, isHidden }) => !isHidden && oneLine(own) === text) ?? false;

/** A page that loads asks for many things at once, and what each answer is for stands in it. */
const NAVIGATES = /^(?:\w+\.)?(?:goto|navigate|reload|goBack|goForward|setContent)$/;
const holds = ({ ts, end }: { ts: number; end: number }, one: Exchange) => one.ts >= ts && one.ts <= end;
const AHEAD_MS = 20;
/** What is asked for sooner after another is not asked in its place, but beside it. */
const ASKED_APART_MS = 30;

/** Pairs of an older and a newer request for the same thing, by its path or its operation, that asked otherwise and were answered the other way round. */
function overtakings(run: RunEvidence): [Exchange, Exchange][] {
  const byThing = Map.groupBy(
    run.facts.exchanges.filter((one) => isAnswered(one) && isQuestion(one, run)),
    thingOf,
  );
  const pairs: [Exchange, Exchange][] = [];
  for (const asked of byThing.values())
    for (let at = 1; at < asked.length && pairs.length < MOST; at++) {
      const older = asked[at - 1]!;
      const isOvertakenBy = (one: Exchange) =>
        older.end! > one.end! + AHEAD_MS && isAskedOtherwise(older, one, run);
      const next = asked[at]!;
      const newer =
        asked.slice(at, at + MOST).findLast((one) => isOvertakenBy(one) && isTypedOn(older, one, run)) ??
        (next.ts - older.ts >= ASKED_APART_MS && !isInPath(next) && isOvertakenBy(next) ? next : undefined);
      if (newer) pairs.push([older, newer]);
    }
  return pairs;
}

const isAnswered = ({ end, status }: Exchange): boolean => end !== null && status !== null && status < 400;

/** Whether a page asked for something by it that it shows. */
const isQuestion = (one: Exchange, run: RunEvidence): boolean =>
  /^(?:xhr|fetch)$/.test(one.type ?? "") &&
  (isOneForAll(one) ? one.operation !== null && !isWrite(one, run) : one.method === "GET" && !isPolling(one));

/** Whether what is asked for stands in the path, as the last part of it. */
const isInPath = (one: Exchange): boolean => !isOneForAll(one) && !one.url.includes("?");

/** What two questions have in common that ask for the same thing otherwise. */
const thingOf = (one: Exchange): string =>
  isInPath(one)
    ? `${one.url.slice(0, one.url.lastIndexOf("/") + 1)}…`
    : `${one.url.replace(/\?.*/s, "")} ${one.operation}`;

/** So much of a part of a path is typed at least, and so little is added at a time. */
const TYPED = { least: 3, most: 3 };

const isAskedOtherwise = (older: Exchange, newer: Exchange, run: RunEvidence): boolean =>
  isOneForAll(older)
    ? requestText(older, run.bodies) !== requestText(newer, run.bodies)
    : older.url !== newer.url;

/** Whether a question goes on where an older one ended: whoever types asks so, however quickly. */
function isTypedOn(older: Exchange, newer: Exchange, run: RunEvidence): boolean {
  if (isInPath(older)) {
    const [mine, theirs] = [older, newer].map(({ url }) => url.split("/").at(-1)!) as [string, string];
    return mine.length >= TYPED.least && theirs.startsWith(mine) && theirs.length - mine.length <= TYPED.most;
  }
  if (!isOneForAll(older)) return isTypedOnIn(older.url, newer.url);
  const part = apartIn(older, newer, run);
  return (
    typeof part?.older === "string" &&
    typeof part.newer === "string" &&
    /\D$/.test(part.older) &&
    part.newer.startsWith(part.older)
  );
}

/** Whether one value of a query goes on where it ended before, and all others are the same. */
function isTypedOnIn(older: string, newer: string): boolean {
  const [mine, theirs] = [older, newer].map((url) => [...(URL.parse(url)?.searchParams ?? [])]) as [
    [string, string][],
    [string, string][],
  ];
  if (mine.length !== theirs.length) return false;
  const apart = mine.flatMap(([name, value], at) => {
    const [other, now] = theirs[at]!;
    return name === other && value === now ? [] : [{ isSame: name === other, value, now }];
  });
  const [one] = apart;
  return apart.length === 1 && one!.isSame && /\D$/.test(one!.value) && one!.now.startsWith(one!.value);
}
