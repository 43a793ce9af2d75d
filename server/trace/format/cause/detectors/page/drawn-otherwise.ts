import { isWrite } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { byFactor, figureOf } from "../../values/figures.ts";
import { bareOf, quoted, quotedStep, requestOf, withoutQuery } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { drawnBy, partsOf, saidToScripts, withoutMarks } from "./drawn-by.ts";
import { listedOtherwise } from "./listed-otherwise.ts";
import { partOtherwise } from "./part-otherwise.ts";

/** It is told by the page alone: what an answer itself says otherwise comes first. */
const WEIGHT = 0.66;

/**
 * A page that the server renders and that shows something else than in the passes, though the same was asked for and the scripts
 * are the same: of what was answered no text was recorded, so that the page itself has to tell it.
 */
export function detectDrawnOtherwise(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const one = isOfOnePlace(evidence) ? drawnBy(evidence) : null;
  if (!one || hasThrown(run, one) || changedScript(evidence) !== null) return [];
  const other = seenOtherwise(evidence, one);
  if (!other) return [];
  const { came, effect } = other.isAsBefore ? asBefore(evidence, one) : OTHERWISE;
  return [
    {
      kind: "page_changed",
      title: `${requestOf(withoutMarks(one), run.facts)} came ${came}, as the page shows: ${other.words}${effect}`,
      detail: `It was asked for after the same action as in the last pass and answered with ${one.status} as there; what it was answered with was not recorded in a form that can be compared.`,
      step_id: failed.step?.step_id ?? null,
      events: [one.seq, run.page!.shot.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: true,
      weight: WEIGHT,
      about: `drawn ${one.seq}`,
      isDrawn: true,
    },
  ];
}

const OTHERWISE = { came: "otherwise than in the last pass", effect: "" };

interface Otherwise {
  words: string;
  isAsBefore: boolean;
}

/** What the page shows otherwise than each pass: a list, the text that the step met, or a part of the page. */
function seenOtherwise(evidence: Evidence, one: Exchange): Otherwise | null {
  const list = listedOtherwise(evidence);
  const part = () => partOtherwise(evidence);
  const cased = list ? byCase(one, list) : "";
  if (list) return (list.isSoughtInVain && cased === "" && part()) || { ...list, words: list.words + cased };
  return isMissing(evidence) ? part() : (valueOtherwise(evidence) ?? part());
}

/** That all which is not listed has what was asked for in other letters, and all which is has it as it was asked for, as a clause. */
function byCase(one: Exchange, { gone, now }: { gone: readonly string[]; now: readonly string[] }): string {
  const asked = partsOf(one).find(
    ([, value]) =>
      /\p{L}{2}/u.test(value) &&
      gone.every((name) => !name.includes(value) && name.toLowerCase().includes(value.toLowerCase())) &&
      now.every((name) => name.includes(value)),
  );
  return gone.length === 0 || !asked
    ? ""
    : `, which have “${asked[1]}” in other upper and lower case than “${asked.join("=")}” asks for`;
}

/** Whether the page threw an error since: what it shows then comes of that. */
const hasThrown = ({ facts }: RunEvidence, { ts }: Exchange): boolean =>
  facts.lines.some((line) => line.source === "page" && line.ts >= ts);

/** Whether the page is where each pass has it. */
function isOfOnePlace({ run, passes }: Evidence): boolean {
  const placeOf = ({ facts, page }: RunEvidence) => facts.normaliser.url(page?.shot.url ?? "");
  return run.page !== null && passes.every((pass) => pass.page !== null && placeOf(pass) === placeOf(run));
}

/** The text that the step met in the place of the one that each pass has there. */
function valueOtherwise(evidence: Evidence): { words: string; isAsBefore: boolean } | null {
  const { failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const isText = /^"/.test(failed.expected ?? "") && /^"/.test(failed.received ?? "");
  if (!isText || !want || !got || saidToScripts(evidence, got)) return null;
  const [now, before] = [got, want].map((text) => figureOf(text)?.text);
  return {
    words: `${targetOf(evidence)} has ${quoted(got, 60)} where the last pass has ${quoted(want, 60)}${byFactor(now, before)}`,
    isAsBefore: false,
  };
}

/** How a page came that stands as it stood before the last action, and what had no effect. */
function asBefore({ run, failed }: Evidence, one: Exchange): { came: string; effect: string } {
  const action = actionBefore(run.facts, failed);
  if (!action) return OTHERWISE;
  const write = run.facts.exchanges.findLast(
    (each) =>
      each.ts >= action.ts - 5 &&
      each.ts < one.ts &&
      each.status !== null &&
      !isFailedExchange(each) &&
      isWrite(each, run),
  );
  if (write)
    return {
      came: `as before ${requestOf(write, run.facts)}, which was answered with ${write.status}`,
      effect: ": what was written is not stored, or not yet",
    };
  const added = addedPart(run, one);
  return {
    came: `as before ${quotedStep(action)}`,
    effect: added ? `: ${quoted(added[1], 40)} for ${quoted(added[0], 40)} was ignored` : "",
  };
}

/** The one part of a question that the one before it to that address had not. */
function addedPart({ facts }: RunEvidence, one: Exchange): [string, string] | undefined {
  const before = facts.exchanges.findLast(
    (each) =>
      each.ts < one.ts && each.method === one.method && withoutQuery(each.url) === withoutQuery(one.url),
  );
  const known = new Set(before && partsOf(before).map(String));
  const added = partsOf(one).filter((part) => part[1] !== "" && !known.has(String(part)));
  return added.length === 1 ? added[0] : undefined;
}
