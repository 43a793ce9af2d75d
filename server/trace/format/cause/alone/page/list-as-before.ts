import { oneLine } from "../../../error-text.ts";
import { isAsked, PICKS } from "../../detectors/page/idle.ts";
import { askedFor, isRead, isWrite } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { addressOf, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { detectBeforeScripts } from "../input/before-scripts.ts";
import { MOVES_ON } from "../requests/same-question.ts";
import { FINDS, TYPES } from "../requests/search.ts";
import { holds } from "../requests/sought.ts";
import { PROMPTED_MS, textOf } from "../requests/unsaid.ts";
import { lastActOf, listLookedAt, placesOn } from "./listed.ts";

const FEWEST = 3;
const SHORTEST = 3;
const ORDERS = /sort|order/i;

/** A search, a filter or the way to the next page, after which the list that the test looks at has the very things that it had. */
export function detectListAsBefore(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const act = lastActOf(evidence);
  const deed = act && deedOf(act.action);
  if (!act || !deed || !page || page.shot.ts < act.action.end) return [];
  const { action, met } = act;
  const items = sameOn(evidence, met.elements);
  if (!items || (deed.text !== "" && items.every((item) => holds(item, deed.text)))) return [];
  const since = facts.exchanges.filter(
    (one) =>
      one.ts >= action.ts - 5 &&
      one.ts <= Math.min(failed.to, action.end + PROMPTED_MS) &&
      isAsked(one, facts),
  );
  if (since.some((one) => isWrite(one, run))) return [];
  const asked = since.findLast((one) => isRead(one, run) && isBehind(one, items, run));
  if (!asked && since.some((one) => !isBeside(one) && !isAskedBefore(one, action, run))) return [];
  // Nothing that is pressed has to ask for anything, nor does anything before its script is there.
  if (!asked && (deed.kind === "page" || detectBeforeScripts(evidence).length > 0)) return [];
  if (asked && (asked.status !== 200 || asked.end === null || asked.end > failed.to)) return [];
  const words = asked
    ? `${requestOf(asked, facts)} was asked after ${quotedStep(action)}${withoutText(asked, deed, run)}, and the page lists the same ${items.length} things as before: ${HAD_NO_EFFECT[deed.kind]}${byName(asked, deed, run)}`
    : `The page lists the same ${items.length} things after ${quotedStep(action)} as before, and ${wentTo(met.shot.url, page.shot.url, evidence)}no request was sent: ${NOT_DONE[deed.kind]}, or not yet`;
  return [
    {
      kind: asked ? "answer_changed" : "request_unsent",
      title: words,
      detail: null,
      step_id: action.step_id,
      events: [...(asked ? [asked.seq] : []), action.seq, page.shot.seq],
      ts: asked?.end ?? action.end,
      is_new: null,
      weight: 0.86,
      about: `acted ${action.seq}`,
    },
  ];
}

type Kind = "search" | "filter" | "order" | "page";

const HAD_NO_EFFECT: Record<Kind, string> = {
  search: "the search had no effect",
  filter: "the filter had no effect",
  order: "the order was not changed",
  page: "it is the same page again",
};
const NOT_DONE: Record<Kind, string> = {
  search: "the list was not filtered",
  filter: "the filter was not applied",
  order: "the list was not sorted anew",
  page: "",
};

/** What an action does to a list, and the text that it searches for. */
function deedOf(action: Step): { kind: Kind; text: string } | null {
  const text = textOf(action)?.trim() ?? "";
  const words = `${action.title} ${String(action.params.selector ?? "")}`;
  if (TYPES.test(action.name))
    return text !== "" && FINDS.test(words.replaceAll(text, "")) ? { kind: "search", text } : null;
  if (PICKS.test(action.name)) return { kind: ORDERS.test(words) ? "order" : "filter", text: "" };
  return /(?:^|\.)(?:click|tap|press)$/.test(action.name) && MOVES_ON.test(words)
    ? { kind: "page", text: "" }
    : null;
}

/** The things of the list that the step is about, where the page that the action met listed the same ones. */
function sameOn(evidence: Evidence, before: Parameters<typeof placesOn>[0]): string[] | null {
  const items = listLookedAt(evidence, evidence.run.page!.elements);
  if (!items || items.length < FEWEST || isMissing(evidence)) return null;
  const now = knownBy(items);
  const isListed = placesOn(before).some(
    (list) => list.length === items.length && knownBy(list.map(({ text }) => oneLine(text))) === now,
  );
  return isListed ? items : null;
}

/** Things by their texts; by these without figures, which go on, where that tells them apart. */
function knownBy(items: readonly string[]): string {
  const bare = items.map((item) => item.replace(/\d+/g, "0"));
  return (new Set(bare).size === bare.length ? bare : items).join("\n");
}

/** Whether an answer brings what a list shows. */
function isBehind(one: Exchange, [first, second]: readonly string[], run: RunEvidence): boolean {
  if (one.type === "document") return true;
  const [thing] = thingsOf(one, run.bodies);
  return leavesOf(thing ?? {}).some(
    ({ value }) =>
      typeof value === "string" &&
      value.length >= SHORTEST &&
      (holds(first!, value) || holds(second!, value)),
  );
}

const isAskedBefore = (one: Exchange, action: Step, { facts }: RunEvidence): boolean =>
  facts.exchanges.some(
    (other) => other.ts < action.ts && other.url === one.url && other.operation === one.operation,
  );

function withoutText(one: Exchange, { text }: { text: string }, run: RunEvidence): string {
  return text === "" || askedFor(one, run).some(([, value]) => holds(value, text))
    ? ""
    : ` without ${quoted(text, 40)}`;
}

/** By which name the text was asked for: a server may know it by another one. */
function byName(one: Exchange, { text }: { text: string }, run: RunEvidence): string {
  const name = text === "" ? undefined : askedFor(one, run).find(([, value]) => value === text)?.[0];
  return name === undefined ? "" : `, or goes by another name than ${quoted(name, 40)}`;
}

/** Where the page went by the action, as a clause. */
const wentTo = (before: string, now: string, { run }: Evidence): string =>
  before !== now && pathOf(before) === pathOf(now)
    ? `though it went to ${quoted(addressOf(now, run.facts), 80)} `
    : "";
