import { isBeside } from "../../alone/beside.ts";
import { isBefore } from "../../compare.ts";
import { ADDED, isAddedScript } from "../../exchanges/added-script.ts";
import {
  addedIn,
  askedAnew,
  behind,
  dataIn,
  isAskedOn,
  isRepeated,
  othersOf,
  unmoved,
} from "../../exchanges/asked-again.ts";
import { isIdRenamed, otherIn } from "../../exchanges/difference-fields.ts";
import { APART, isGrown, isNamedSwitch, isWanted, SWITCH, UNTOLD } from "../../exchanges/difference-rank.ts";
import {
  asWritten,
  goneTo,
  notAsSent,
  partOf,
  short,
  tell,
  turnedAround,
} from "../../exchanges/difference-words.ts";
import { type Difference, differencesOf, isWithin, ORDER } from "../../exchanges/differences.ts";
import { otherEncoding } from "../../exchanges/encoding.ts";
import { isGivenName } from "../../exchanges/given-names.ts";
import { markOf } from "../../exchanges/next-part.ts";
import { isAskedOtherwise, otherSent, sentOtherwise } from "../../exchanges/other-sent.ts";
import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { type Usual, usualOf } from "../../exchanges/usual-answers.ts";
import { INVALID_TIME } from "../../plausibility/words.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, isConsole } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { isAnotherId } from "../../values/made-values.ts";
import { aboutUrl, addressOf, bodyOf, headerOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isWithheld } from "../elements/element.ts";
import { askedBound } from "./asked-bound.ts";
import { changedByWrite } from "./changed-by-write.ts";
import { errorWithin } from "./error-within.ts";
import { grantedHere } from "./granted.ts";
import { IDLE, isAside, ranked, snakeOf } from "./ranked.ts";
import { shiftedBy } from "./shifted.ts";

const MOST = 60;

/** Answers that say something else than in the passes, most of all where the page shows it. */
export function detectAnswers(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const candidates = run.facts.exchanges.filter(
    (one) =>
      one.status !== null &&
      !isFailedExchange(one) &&
      isBefore(evidence, one.end ?? one.ts) &&
      one.ts <= failed.to,
  );
  return candidates
    .slice(-MOST * 5)
    .flatMap((one) => findingsOf(evidence, one))
    .slice(-MOST);
}

function findingsOf(evidence: Evidence, one: Exchange): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const key = exchangeKey(one, facts);
  const text = bodyOf(one, run.bodies);
  const shared = {
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    about: aboutUrl(one.url, facts, one.operation),
    isOwn: !isTracker(one.url),
    detail: null,
  };
  const wrongType = scriptAsHtml(one);
  const others = evidence.passes.map((pass) => othersOf(pass, key, one, run));
  const hasOthers = others.some((list) => list.length > 0);
  const from = wrongType ? ledBy(one, facts) : undefined;
  const isUsual =
    from !== undefined &&
    others.length > 0 &&
    evidence.passes.every((pass) => othersOf(pass, exchangeKey(from, facts), from, run).length > 0);
  if (wrongType && !others.flat().some(({ exchange }) => scriptAsHtml(exchange)))
    return [
      {
        ...shared,
        kind: "script_failed",
        title: `The script ${from ? `${requestOf(from, facts)} was led to ${addressOf(one.url, facts)} (${from.status}),` : `${requestOf(one, facts)} was answered with`} a page of HTML instead of a script`,
        is_new: hasOthers || isUsual ? true : null,
        // The browser's own words for it come second.
        weight: 0.97 * (isAddedScript(evidence, one) ? ADDED : 1),
        file: "script",
      },
    ];
  const granted = grantedHere(evidence, one, others);
  if (granted !== null) return [{ ...shared, ...granted }];
  if (text === undefined) return [];
  const value = dataIn(text);
  const trouble = value === undefined ? null : errorWithin(value, requestBodyOf(one, run));
  // What was not done is read later as it was before.
  const isUndone = hasOthers && isWrite(one, run) && !isBeside(one);
  if (trouble !== null && !others.flat().some(({ value: other }) => errorWithin(other, undefined) !== null))
    return [
      {
        ...shared,
        kind: "request_failed",
        title: `${requestOf(one, facts)}${sentOtherwise(evidence, one)} was answered with ${one.status}, but ${trouble}`,
        is_new: evidence.passes.length === 0 ? null : true,
        ...(isUndone && { ts: evidence.failed.from }),
        weight: isUndone ? 0.965 : 0.9,
      },
    ];
  if (value === undefined || !hasOthers) return [];
  const mine = facts.normaliser.json(value);
  const theirs = others.map((list) => list.flatMap(({ plain }) => (plain === undefined ? [] : [plain])));
  if (theirs.flat().length === 0) return [];
  const usual = usualOf(others);
  const { varying } = usual;
  if (isAskedOn(evidence, one, key, { others, varying })) return [];
  const isTelling = (difference: Difference, isSteadySwitch = false) =>
    isWanted(difference, evidence) || (isSteadySwitch && isNamedSwitch(evidence, difference.of));
  const isName = ({ now, before }: Difference) => isGivenName(evidence, now, before);
  const near = closest(theirs.flat(), (before) => differencesOf(before, mine, varying, isTelling)).filter(
    (difference) =>
      !(isOfCourse(difference) || isName(difference)) ||
      isTelling(difference) ||
      isMissedTime(evidence, one, difference),
  );
  const steady = near.length > 0 ? near : steadyDifferences(value, usual).filter((other) => !isName(other));
  const late =
    (ranked(evidence, one, value, steady)[0]?.rank ?? 0) >= 2
      ? []
      : behind(evidence, one, key, { others, mine, varying, isTelling });
  const still = late.length > 0 ? [] : unmoved(evidence, one, key, { others, mine, varying, isTelling });
  const differences = [late, still].find((some) => some.length > 0) ?? steady;
  const order = ranked(evidence, one, value, differences);
  const isSame = isRepeated(evidence, one, key, mine);
  // What did not change needs no place where the step looks: it says what was not done.
  const isMoving = !isSame && still.length === 0;
  const [first] = order;
  if (!first) return [];
  const best = first.rank === APART && !isMoving ? { ...first, rank: 1 } : first;
  const retyped = isMisread(evidence, one) ? differences.find(isRetyped) : undefined;
  const chosen =
    retyped && best.rank < 2
      ? retyped
      : best.rank > 0
        ? best.difference
        : (order.find(({ difference }) => !isAside(difference)) ?? first).difference;
  const whole = others.flat().map(({ value: other }) => other);
  const told = turnedAround(chosen, value, whole) ?? chosen;
  const written = (difference: Difference) => asWritten(difference, value, whole, facts.normaliser);
  // One pass does not tell whether a test asks so each time.
  const isSetUp = one.type === "api" && evidence.passes.length > 1 && otherSent(evidence, one) !== null;
  const mark = markOf(one, run);
  const isOtherPart = mark !== null && !others.flat().some(({ exchange }) => exchange.url.includes(mark));
  const stale = staleness(one);
  const isMore = /items?$/.test(String(told.now)) && isGrown(told.before, told.now);
  const unlikeSent =
    isWrite(one, run) && !isAskedOtherwise(evidence, one)
      ? notAsSent(differences, told, value, leavesOf(requestBodyOf(one, run)))
      : "";
  const again = isSame
    ? ` the same as to the question before it${addedIn(one, run)}:`
    : still.length > 0
      ? " still the same as when it was asked before:"
      : "";
  const besides = isMore
    ? askedBound(one, told, value, whole)
    : again === "" && IS_LIST.test(String(told.now))
      ? `${shiftedBy(mine, theirs.flat(), told.path)}${askedAnew(one, run)}`
      : "";
  return [
    {
      ...shared,
      kind: stale === null ? "answer_changed" : "stale_answer",
      title: `${requestOf(one, facts)}${isOtherPart ? "" : sentOtherwise(evidence, one)} answered${again} ${tell(written(told), evidence)}${otherEncoding(told)}${stale === null ? "" : `, ${stale}`}${reasonIn(differences, told)}${unlikeSent || changedByWrite(evidence, one, told.now, told.before) || goneTo(differences.map(written), told) || partOf(differences, told, value)}${besides}`,
      detail: differences
        .slice(0, 8)
        .map(written)
        .map((one) => `${one.path}: ${short(one.before)} → ${short(one.now)}`)
        .join("\n"),
      is_new: true,
      weight:
        (best.rank < 1 && isAside(told)) || (best.rank <= 1 && isOtherPart)
          ? ASIDE
          : isSetUp
            ? ASKED_BY_TEST
            : weightOf(best.rank, {
                evidence,
                isEmpty: order.some(({ difference, rank }) => isEmptied(difference) && rank > APART),
                isAgain: again !== "",
                isRetyped: isRetyped(told) && (best.rank !== APART || told.now != null),
              }),
      isMisread: retyped !== undefined,
      ...(again === "" && otherIn(told)),
      ...(isAskedOtherwise(evidence, one) && { isAskedOtherwise: true }),
      ...(isIdRenamed(told) && { isIdRenamed: true }),
      isCopy: one.fromNetwork === false,
      place: told.path,
      isRead: !isWrite(one, run),
      ...(isPlain(told.now) && { said: String(told.now) }),
      isOfTime: [told.before, told.now].every((one) => typeof one === "string" && MOMENT.test(one)),
      ...(told.now === ORDER && { isReordered: true }),
      ...(isMore && { listsMore: true }),
      // However long ago it was.
      ...(isSetUp && { ts: evidence.failed.from }),
    },
  ];
}

const IS_LIST = / items?$/;

const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

/** What a script says that got another kind of value than it can use. */
const MISREAD =
  /is not a function|not iterable|of (?:undefined|null)\b|is (?:undefined|null)\b|not an object|not a valid React child|Objects are not valid/i;

/** Whether the page threw such an error once it had that answer. */
const isMisread = (evidence: Evidence, one: Exchange): boolean => isThrownAfter(evidence, one, MISREAD);

const isThrownAfter = ({ run: { facts }, failed }: Evidence, { end, ts }: Exchange, error: RegExp): boolean =>
  facts.lines.some(
    (line) =>
      isConsole(line) &&
      line.level === "error" &&
      line.ts >= (end ?? ts) - 50 &&
      line.ts <= failed.to &&
      error.test(line.text),
  );

/** Whether a time is gone from an answer, and the page then threw an error over one that is none. */
const isMissedTime = (evidence: Evidence, one: Exchange, { path, before, now }: Difference): boolean =>
  now == null &&
  (before === "<time>" || (before === "<id>" && OF_TIME.test(path))) &&
  isThrownAfter(evidence, one, INVALID_TIME);

const OF_TIME = /(?:[a-z]At|_at|date|time|timestamp)$/;

/** A value of another kind than in the passes: a text where a number was, an object, nothing. */
function isRetyped({ before, now, renamedTo }: Difference): boolean {
  if (renamedTo !== undefined) return true;
  if (before === undefined || before === null || now === ORDER || /items?$/.test(String(now))) return false;
  return kindOf(before) !== kindOf(now);
}

const kindOf = (value: unknown) => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** What the test itself asks for otherwise comes before all that its product says then. */
const ASKED_BY_TEST = 0.97;

/** That another release answered, or something that a product tries out, tells little; so does a part of a list that begins elsewhere. */
const ASIDE = 0.35;

/** What the test or the page shows tells most; then what was emptied; then what switches parts of a product on and off. */
function weightOf(
  rank: number,
  {
    evidence,
    isEmpty,
    isAgain,
    isRetyped,
  }: { evidence: Evidence; isEmpty: boolean; isAgain: boolean; isRetyped: boolean },
): number {
  if (rank > 1) return 0.92;
  if (rank === IDLE) return 0.15;
  // A switch that stays as it was moves by itself in other runs.
  if (rank === 1 || (isAgain && rank > SWITCH)) return 0.86;
  if (isEmpty) return 0.8;
  if (rank === APART) return isRetyped ? 0.74 : ASIDE;
  if (isRetyped) return 0.74;
  // A part of the page that is not there was most likely switched off by what switches parts.
  if (rank <= 0) return rank === UNTOLD ? 0.4 : 0.5;
  const isWithout = isMissing(evidence) || isWithheld(evidence);
  if (isWithout && rank >= 0.9) return isWithheld(evidence) ? 0.92 : 0.86;
  return (isWithout && rank >= 0.7 ? 0.68 : 0.6) + rank / 10;
}

/** How long it took, and which request it was. */
const OF_COURSE =
  /(?:^|[/_])(?:took|bucket|elapsed|duration|latency|uptime|request_?id|trace_?id|span_?id|as_of|served_(?:at|by)|generated(?:_at)?|ms)$/i;

/** What differs between any two answers, and ids that are not there. */
const isOfCourse = ({ path, before, now, renamedTo }: Difference): boolean =>
  OF_COURSE.test(snakeOf(path)) ||
  isAnotherId(before, now) ||
  (now === undefined &&
    renamedTo === undefined &&
    (before === "<id>" ||
      before === "<time>" ||
      (isRecord(before) &&
        Object.entries(before).every(([name, inner]) =>
          isOfCourse({ path: `/${name}`, before: inner, now }),
        ))));

const MOMENT = /^(?:<time>$|\d{4}-\d\d-\d\dT)/;

const MOST_DIFFERENCES = 40;

/** Times and numbers that vary are left out of a comparison; what all passes say alike does not vary. */
function steadyDifferences(now: unknown, { varying, steady }: Usual): Difference[] {
  const theirs = steady();
  if (theirs.size === 0) return [];
  return leavesOf(now)
    .flatMap(({ path, value }) => {
      const before = theirs.get(path);
      const difference = { path: `/${path.replaceAll(".", "/")}`, before, now: value };
      return theirs.has(path) &&
        before !== value &&
        !isOtherPort(before, value) &&
        !isWithin(varying, difference.path) &&
        !isOfCourse(difference)
        ? [difference]
        : [];
    })
    .slice(0, MOST_DIFFERENCES);
}

const LOCAL = /^(\w+:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d+)?(?=\/|$)/;

/** Servers that are started for a run get another port each time. */
const isOtherPort = (one: unknown, other: unknown): boolean =>
  typeof one === "string" &&
  typeof other === "string" &&
  LOCAL.test(one) &&
  one.replace(LOCAL, "$1") === other.replace(LOCAL, "$1");

const REASON = /(?:^|\/)(?:reason|message|error|warning|notice|note|detail|hint)$/i;

/** What the answer itself says of why it is another one. */
function reasonIn(differences: Difference[], told: Difference): string {
  const reason = differences.find(
    (one) =>
      one !== told && REASON.test(one.path) && typeof one.now === "string" && one.now.trim().length > 3,
  );
  return reason === undefined ? "" : `; it says ${quoted(String(reason.now), 100)}`;
}

/** The differences from the answer of the passes that differs least; lists of another length are about other things. */
function closest(values: unknown[], differ: (before: unknown) => Difference[]): Difference[] {
  const isResized = ({ now }: Difference) => /items?$/.test(String(now));
  const cost = (all: Difference[]) => all.length + (all.some(isResized) ? 0.5 : 0);
  let best: Difference[] | null = null;
  for (const value of values.slice(-MOST_COMPARED)) {
    const differences = differ(value);
    if (best === null || cost(differences) < cost(best)) best = differences;
    if (differences.length === 0) break;
  }
  return best ?? [];
}

const MOST_COMPARED = 30;

const isEmptied = ({ now, before }: Difference) =>
  now === "no items" || ((now === null || now === undefined) && before != null);

/** The script whose answer led to this one. */
const ledBy = (one: Exchange, { exchanges }: RunFacts): Exchange | undefined =>
  exchanges.findLast(({ type, ts, headers, url }) => {
    const location = headerOf(headers, "location");
    return type === "script" && ts <= one.ts && location && URL.parse(location, url)?.href === one.url;
  });

function scriptAsHtml({ type, mediaType, status }: Exchange): boolean {
  return type === "script" && status !== null && status < 400 && /text\/html/.test(mediaType);
}
