import { isBeside } from "../../alone/beside.ts";
import { othersOf } from "../../exchanges/asked-again.ts";
import { differencesOf, varyingIn } from "../../exchanges/differences.ts";
import { isRead } from "../../exchanges/sent.ts";
import { isSameText, shownAt } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { figureOf, isShownAs } from "../../values/figures.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isAskedBy } from "./idle.ts";
import { listedApart } from "./listed-apart.ts";

const MOST_ANSWERS = 20;
/** What an answer has from here on is not looked at. */
const MOST_LEAVES = 200;

/**
 * A figure that the page shows otherwise than every pass, though the answer that it is of was the same: a script works it out
 * otherwise.
 */
export function detectWorkedOut(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const script = passes.length > 0 && run.page && !isMissing(evidence) ? changedScript(evidence) : null;
  if (!script || failed.step?.kind !== "assertion") return [];
  const target = targetOf(evidence);
  const [now, ...usual] = [run, ...passes].map(({ page }) => (page ? shownAt(page, target)[0] : undefined));
  const [then] = usual;
  if (!now || !then || !usual.every((text) => text && isOtherFigure(now, text))) return [];
  const ofFigure = answerOf(evidence, `${target} ${then}`);
  if (ofFigure && isAskedLess(evidence, ofFigure)) return [];
  const one = ofFigure && isAnsweredSame(evidence, ofFigure) ? ofFigure : answerToAction(evidence);
  if (!one) return [];
  return [
    {
      kind: "page_changed",
      title: `${requestOf(one, run.facts)} answered the same as in the last pass${figureIn(one, evidence)}, but ${target} has ${quoted(now, 60)}, where that has ${quoted(then, 60)}${apart(now, then)}${listedApart(evidence, one)}; ${script.words}`,
      detail: null,
      step_id: failed.step.step_id,
      events: [one.seq, run.page!.shot.seq, script.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.8,
      about: `worked out ${failed.step.seq}`,
    },
  ];
}

const FIGURE = /\d[\d.,]*/g;

/** Whether two texts differ in their figures alone. */
const isOtherFigure = (now: string, then: string): boolean =>
  /\d/.test(now) && !isSameText(now, then) && isSameText(now.replace(FIGURE, "0"), then.replace(FIGURE, "0"));

/** The last answer with data that is of what the page shows, by its names or by its address. */
function answerOf(evidence: Evidence, words: string): Exchange | undefined {
  const { run } = evidence;
  const topics = new Set(topicsOf(words));
  const place = pathOf(run.page!.shot.url);
  const answers = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      isRead(one, run) &&
      !isBeside(one) &&
      !isForeign(one.url, run.facts),
  ).toReversed();
  const isCalledSo = (one: Exchange) =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""))
      .slice(0, MOST_LEAVES)
      .some(
        ({ path, value }) => typeof value === "number" && topicsOf(path).some((topic) => topics.has(topic)),
      );
  const isOfPage = (one: Exchange) =>
    one.operation === null
      ? pathOf(one.url).endsWith(place) && place.length > 1
      : topicsOf(one.operation).some((topic) => topicsOf(place).includes(topic));
  return answers.find(isCalledSo) ?? answers.find(isOfPage);
}

/** Whether each pass had asked for it more often by then: the page may show an older answer. */
function isAskedLess({ run, passes, failed }: Evidence, one: Exchange): boolean {
  const key = exchangeKey(one, run.facts);
  const countIn = ({ facts }: RunEvidence, by: number) =>
    exchangesOf(facts, key).filter(({ ts }) => ts <= by).length;
  const mine = countIn(run, failed.to);
  return passes.every((pass) => countIn(pass, momentIn(pass.facts, run.facts, failed) ?? failed.to) > mine);
}

/** The one answer that came to the last action, where every pass was answered the same. */
function answerToAction(evidence: Evidence): Exchange | undefined {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  if (!action) return undefined;
  const [one, ...others] = answersBefore(
    evidence,
    MOST_ANSWERS,
    (answer) => answer.ts >= action.ts && isAskedBy(action, answer, run.facts) && !isBeside(answer),
  );
  const isData = one && others.length === 0 && one.type !== "document";
  // What varies among passes may be what the figure is of.
  return isData && evidence.passes.every((pass) => isAnsweredSame({ ...evidence, passes: [pass] }, one))
    ? one
    : undefined;
}

/** The one figure of an answer, as a clause; empty where it has none or several. */
function figureIn(one: Exchange, { run }: Evidence): string {
  const figures = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(
    ({ value }) => typeof value === "number",
  );
  const [first, ...others] = figures;
  return first && others.length === 0
    ? ` (${quoted(String(first.value), 20)} for ${quoted(first.path, 60)})`
    : "";
}

/** Whether each pass was answered so when it was asked last: what is asked again later shows what was changed meanwhile. */
function isAnsweredSame({ run, passes, failed }: Evidence, one: Exchange): boolean {
  const value = jsonOf(bodyOf(one, run.bodies) ?? "");
  if (value === undefined) return false;
  const mine = run.facts.normaliser.json(value);
  const others = passes.map((pass) => {
    const by = momentIn(pass.facts, run.facts, failed) ?? Number.POSITIVE_INFINITY;
    return othersOf(pass, exchangeKey(one, run.facts), one, run).filter(({ exchange }) => exchange.ts <= by);
  });
  const varying = varyingIn(others.map((list) => list.map(({ plain }) => plain)));
  return others.every((list) => {
    const last = list.at(-1)?.plain;
    return last !== undefined && differencesOf(last, mine, varying).length === 0;
  });
}

const SPAN = /(\d{1,3}) ?h(?:ours?)?\b\D{0,5}(\d{1,2}) ?m/;
const HOUR = 60;
/** Runs look at the clock a while apart. */
const LEEWAY = 2;

/** What two figures have to do with each other, as a clause: the one is the other without its decimals, or they are spans of time that lie whole hours apart. */
function apart(now: string, then: string): string {
  const [figure, before] = [figureOf(now), figureOf(then)];
  if (
    figure &&
    before &&
    figure.decimals < before.decimals &&
    isShownAs(Number(before.text), figure.text, figure.decimals)
  )
    return `, rounded to ${figure.decimals === 0 ? "no decimals" : figure.decimals === 1 ? "one decimal" : `${figure.decimals} decimals`}`;
  const [mine, theirs] = [now, then].map((text) => {
    const [, hours, minutes] = SPAN.exec(text) ?? [];
    return hours === undefined ? null : Number(hours) * HOUR + Number(minutes);
  }) as [number | null, number | null];
  if (mine === null || theirs === null) return "";
  const minutes = Math.abs(mine - theirs);
  const hours = Math.round(minutes / HOUR);
  return hours > 0 && hours <= 14 && Math.abs(minutes - hours * HOUR) <= LEEWAY
    ? `, ${hours === 1 ? "an hour" : `${hours} hours`} ${mine < theirs ? "less" : "more"}, as where a moment is read in another time zone`
    : "";
}
