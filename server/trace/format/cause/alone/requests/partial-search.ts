import { oneLine } from "../../../error-text.ts";
import { queryOf, requestBodyOf } from "../../exchanges/sent.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { FINDS, TYPES } from "./search.ts";
import { dataSince, readableAddress, saidIn, textOf } from "./unsaid.ts";

const SHORTEST = 3;
/** Pages wait until nothing more is typed. */
const PAUSE_MS = 1_000;
/** What a search is sent as. */
const SEARCHES = /^(?:q|s|text|terms?|keywords?)$|search|query|filter|find/i;

/** A search that was asked for with the beginning of what the test typed, and with all of it never. */
export function detectPartialSearch(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [typed, ...before] = typedLast(evidence);
  if (!typed || failed.to - typed.end < PAUSE_MS || !FINDS.test(fieldOf(typed))) return [];
  const begun = before.at(-1) ?? typed;
  const words = oneLine([typed, ...before].toReversed().map(textOf).join(""));
  const whole = asSent(words);
  const asked = dataSince(evidence, begun);
  if (
    whole.length < SHORTEST ||
    asked.some((one) => asSent(`${readableAddress(one)} ${saidIn(evidence, one)}`).includes(whole))
  )
    return [];
  const last = asked.findLast((one) => partIn(one, whole, run) !== null);
  if (!last || asked.some((one) => one.ts > last.ts && placeOf(one) === placeOf(last))) return [];
  const part = partIn(last, whole, run)!;
  const isTelling =
    passes.length > 0
      ? passes.every((pass) => isAskedIn(pass, last, part.name, whole))
      : isShown(part.value, whole, last, run) || isMet(evidence, part, whole);
  if (!isTelling) return [];
  const isOpen = last.end === null || last.end > typed.end;
  return [
    {
      kind: "page_changed",
      title: `Nothing was asked for ${quoted(words, 60)}, which the test typed to find something by: the last ${requestOf({ ...last, url: placeOf(last) }, run.facts)} was sent with ${quoted(part.value, 60)} for ${quoted(part.name, 60)}${isOpen ? ", and still unanswered when all was typed" : ""}`,
      detail: null,
      step_id: typed.step_id,
      events: [typed.seq, last.requestSeq ?? last.seq],
      ts: last.end ?? last.ts,
      is_new: null,
      weight: 0.86,
      about: `body ${last.seq}`,
    },
  ];
}

/** The last action before the failure, where it typed, and what had been typed into the same field right before it; the last one first. */
function typedLast({ run: { facts }, failed }: Evidence): Step[] {
  const actions = facts.steps.filter(
    ({ kind, category, isFailed, end, name, params }) =>
      kind === "agent.action" &&
      // A block of steps is called as its author likes.
      category !== "test.step" &&
      !isFailed &&
      end <= failed.from &&
      GESTURES_AND_OPENINGS.test(name) &&
      params.key !== "Enter",
  );
  const found: Step[] = [];
  for (const step of actions.toReversed()) {
    const [last] = found;
    if (!TYPES.test(step.name) || textOf(step) === null) break;
    if (last && (step.params.selector === undefined || step.params.selector !== last.params.selector)) break;
    found.push(step);
    // It takes what was there before away.
    if (FILLS.test(step.name)) break;
  }
  return found;
}

const FILLS = /(?:^|\.)fill$/i;

/** What an action says of its field. */
const fieldOf = (step: Step): string =>
  `${step.title} ${String(step.params.selector ?? "")}`.replace(textOf(step)!, "");

/** However a page trims it. */
const asSent = (text: string): string => oneLine(text).toLowerCase();

const placeOf = ({ url }: Exchange): string => url.replace(/[?#].*/s, "");

/** The beginning of a text that a request was sent with; null where it has none. */
function partIn(one: Exchange, whole: string, run: RunEvidence): { name: string; value: string } | null {
  const said = [
    ...queryOf(one).map(([name, value]) => ({ name, value })),
    ...leavesOf(requestBodyOf(one, run)).map(({ path, value }) => ({ name: path, value: String(value) })),
  ];
  return (
    said.find(({ name, value }) => {
      const part = asSent(value);
      return (
        SEARCHES.test(name.split(".").at(-1)!) && part !== "" && part !== whole && whole.startsWith(part)
      );
    }) ?? null
  );
}

/** Whether a pass asked the same address for all of it. */
const isAskedIn = ({ facts }: RunEvidence, last: Exchange, field: string, whole: string): boolean =>
  facts.exchanges.some(
    (one) =>
      pathOf(one.url) === pathOf(last.url) &&
      queryOf(one).some(([name, value]) => name === field && asSent(value) === whole),
  );

/** Whether the test met the part in an address that it wants the whole in. */
function isMet(
  { failed }: Evidence,
  { name, value }: { name: string; value: string },
  whole: string,
): boolean {
  const queryIn = (text: string | null) => asSent(readableAddress({ url: text ?? "" }));
  const begun = `${name}=${asSent(value)}`;
  const got = queryIn(failed.received);
  return (
    queryIn(failed.expected).includes(`${name}=${whole}`) &&
    got.includes(begun) &&
    !got.includes(`${name}=${whole}`)
  );
}

/** Whether the page shows what was found by a part alone: pages may look through what they have by themselves. */
function isShown(part: string, whole: string, one: Exchange, { page, bodies }: RunEvidence): boolean {
  const body = asSent(bodyOf(one, bodies) ?? "");
  return (page?.elements ?? []).some(({ own, isHidden }) => {
    const text = isHidden ? "" : asSent(own);
    return text.includes(asSent(part)) && !text.includes(whole) && body.includes(text);
  });
}
