import { CHANGING, requestText } from "../../exchanges/sent.ts";
import { foundBy, letterOf } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { insideOf } from "../../page/within.ts";
import { FIELD, nameOf, writtenBetween } from "../../page/written.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Act, Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { bodyOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { readableAddress } from "../requests/unsaid.ts";

/** Fewer are keys that a page listens to. */
const FEWEST = 4;
/** Letters and figures among them. */
const FEWEST_BARE = 3;
/** Pages keep 300 of a value. */
const MOST = 200;
const FULL = 300;
const BY_KEYBOARD = /keyboard\.?(?:type|insertText)$/i;
/** What keeps its value to itself, or in another form than it was typed in. */
const SILENT_FIELD = /^(?:password|date|time|datetime-local|month|week)$/;
const SILENT_TAG = /^(?:canvas|embed|object)$/;

/** What the test typed on the keyboard, wherever the focus was, and what no field has had since and nothing was sent with: the focus was nowhere. */
export function detectKeysIntoNothing(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const all = typingsOf(run).filter(({ end }) => end <= failed.from);
  const typed = all.at(-1);
  if (!typed || !run.page || !isLost(typed, run, failed.to)) return [];
  const before = all.findLast((one) => one !== typed && one.met.shot.page === typed.met.shot.page);
  const field = before && fieldOf(before);
  // A page that takes keys without a field has its own way of doing it.
  if (before && !field && !isLost(before, run, failed.to)) return [];
  return [
    {
      kind: "page_changed",
      title: `What the test typed on the keyboard (${quoted(typed.text, 60)}) reached no field${before && field ? `: ${quoted(before.text, 60)} had gone into ${quoted(nameOf(field), 60)}${renewed(before, field, typed, run)}` : `, and nothing was sent with it${ofDialog(typed.met)}`}`,
      detail: null,
      step_id: typed.first.step.step_id,
      events: [typed.first.step.seq, typed.left.shot.seq],
      ts: typed.end,
      is_new: null,
      weight: isMissedBy(run, typed.end, failed.to) ? 0.97 : 0.85,
      about: `torn ${typed.first.step.seq}`,
    },
  ];
}

/** The dialog that stood open with a field that has nothing in it, as a clause. */
function ofDialog({ elements }: SeenPage): string {
  const dialog = elements.findLast(({ role, isHidden }) => role === "dialog" && !isHidden);
  const fields = dialog ? insideOf(elements, dialog).filter(isEmptyField) : [];
  if (!dialog || fields.length === 0) return "";
  return `: the dialog ${quoted(nameOf(dialog), 60)} did not give the focus to ${fields.length === 1 ? `its field ${quoted(nameOf(fields[0]!), 60)}` : "any of its fields"}`;
}

const isEmptyField = ({ tag, isHidden, attributes }: SeenElement): boolean =>
  FIELD.test(tag) &&
  !isHidden &&
  !/^(?:hidden|checkbox|radio|submit|button|file)$/.test(attributes.type ?? "") &&
  (attributes.value ?? "") === "";

/** Whether the server missed something in what was sent afterwards. */
const isMissedBy = ({ facts }: RunEvidence, from: number, to: number): boolean =>
  facts.exchanges.some(
    ({ ts, method, status, url }) =>
      ts >= from && ts <= to && CHANGING.has(method) && (status === 400 || status === 422) && !isTracker(url),
  );

/** A text that was typed on the keyboard, with the page before and after. */
interface Typing {
  text: string;
  first: Act;
  end: number;
  met: SeenPage;
  left: SeenPage;
}

/** Texts that were typed at once, and letters that were pressed one after the other. */
function typingsOf({ acts = [] }: RunEvidence): Typing[] {
  const found: Typing[] = [];
  let open: Typing | null = null;
  for (const act of acts) {
    const { step, met, left } = act;
    const letter = letterOf(step);
    const text = letter ?? (BY_KEYBOARD.test(step.name) ? step.params.text : null);
    if (typeof text !== "string" || left === null || step.isFailed) {
      open = null;
      continue;
    }
    if (letter !== null && open) Object.assign(open, { text: open.text + letter, end: step.end, left });
    else {
      const typing: Typing = { text, first: act, end: step.end, met, left };
      found.push(typing);
      open = letter === null ? null : typing;
    }
  }
  return found.filter(
    ({ text, first }) =>
      text.length >= FEWEST &&
      text.length <= MOST &&
      bare(text).length >= FEWEST_BARE &&
      // A few letters that are pressed over and over lead through a page.
      (letterOf(first.step) === null || new Set(text).size * 2 > text.length),
  );
}

/** As it may be written elsewhere: a code in groups, a name in capitals. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function isLost({ text, first, met, left }: Typing, run: RunEvidence, by: number): boolean {
  const { facts, page, acts = [] } = run;
  const { ts, page: of } = first.step;
  if (!page || page.shot.page !== met.shot.page || page.shot.url !== met.shot.url) return false;
  if (writtenBetween(met, left)?.length !== 0) return false;
  const clicked = acts.findLast(({ step }) => step.ts < ts && step.page === of);
  // What stands within a component may be shut off from the recorder.
  if (clicked && foundBy(clicked)?.tag.includes("-")) return false;
  const since = acts.flatMap((act) => (act.step.ts > ts ? [act.met, act.left ?? act.met] : []));
  if ([left, ...since, page].some(({ elements }) => mayHave(elements, text, met.elements))) return false;
  const isSaid = facts.frames.some((frame) => frame.direction === "sent" && frame.ts >= ts);
  return !isSaid && !facts.exchanges.some((one) => one.ts >= ts && one.ts <= by && maySay(one, text, run));
}

/**
 * Whether a page has a text somewhere, or may have it where its picture does not tell.
 * @param before the page as it was before the text was typed: what stood there by then is not of it
 */
function mayHave(elements: readonly SeenElement[], text: string, before: readonly SeenElement[]): boolean {
  const wanted = bare(text);
  const writtenOn = (some: readonly SeenElement[], textOf: (element: SeenElement) => string | undefined) =>
    bare(some.map(textOf).join(""));
  const holdsIt = (textOf: (element: SeenElement) => string | undefined) =>
    writtenOn(elements, textOf).includes(wanted);
  const timesIn = (some: readonly SeenElement[]) => writtenOn(some, ({ own }) => own).split(wanted).length;
  return (
    timesIn(elements) > timesIn(before) ||
    // One field for each figure.
    holdsIt(({ attributes }) => attributes.value) ||
    elements.some(
      ({ tag, own, attributes: { type = "", value = "", contenteditable } }) =>
        SILENT_TAG.test(tag) ||
        (FIELD.test(tag) && (SILENT_FIELD.test(type) || value.length >= FULL)) ||
        (contenteditable !== undefined && own.length >= FULL),
    )
  );
}

/** Whether a request carries a text, or may carry it where what it was sent with is not known. */
function maySay(one: Exchange, text: string, { bodies }: RunEvidence): boolean {
  const sent = requestText(one, bodies);
  if (sent === "" && CHANGING.has(one.method) && one.requestBody !== null)
    return !isTracker(one.url) && !isBeside(one);
  return isCarried(one, sent, text);
}

/** Whether a request carries a text, however it is written there. */
export const isCarried = (one: Exchange, sent: string, text: string): boolean =>
  bare(`${readableAddress(one)} ${readableAddress({ ...one, url: sent })}`).includes(bare(text));

/** The field that a text went into. */
const fieldOf = ({ met, left, text }: Typing): SeenElement | undefined =>
  (writtenBetween(met, left) ?? []).some((one) => bare(one.text).endsWith(bare(text)))
    ? left.elements.find(
        ({ tag, attributes, own }) =>
          (FIELD.test(tag) || attributes.contenteditable !== undefined) &&
          bare(attributes.value ?? own).endsWith(bare(text)),
      )
    : undefined;

/** What became of a field that had been typed into before: an answer may have brought it anew. */
function renewed(before: Typing, field: SeenElement, { first, met }: Typing, run: RunEvidence): string {
  const { name, id } = field.attributes;
  const isSame = ({ tag, attributes }: SeenElement) => tag === field.tag && attributes.name === name;
  const now = met.elements.find(isSame);
  if (!now) return ", which the page has no more";
  const answer =
    name &&
    run.facts.exchanges.findLast(
      (one) =>
        one.ts >= before.first.step.ts &&
        one.ts < first.step.ts &&
        isCarried(one, requestText(one, run.bodies), before.text) &&
        hasField(bodyOf(one, run.bodies) ?? "", name),
    );
  const without = id && now.attributes.id === undefined ? ` without its id ${quoted(id, 60)}` : "";
  return answer
    ? `, which came anew${without} with the answer to ${requestOf(answer, run.facts)}`
    : without && `, which stands there${without} since`;
}

const MARKUP = /<(?:input|textarea)\b[^<>]{0,2000}>/gi;

const hasField = (html: string, name: string): boolean =>
  [...html.matchAll(MARKUP)].some(([tag]) => /\bname=["']?([^"'\s>]*)/i.exec(tag)?.[1] === name);
