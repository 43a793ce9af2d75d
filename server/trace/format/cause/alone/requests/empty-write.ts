import { givenIn, isStoring, requestText, SECRET } from "../../exchanges/sent.ts";
import { foundBy, knownActs } from "../../page/acts.ts";
import { fieldOf, OPENS } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import { nameOf } from "../../page/written.ts";
import { isOneForAll } from "../../run/operations.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { headerOf, isForeign, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { formOf } from "../input/forms.ts";
import { FINDS } from "./search.ts";
import { holds } from "./sought.ts";
import { readableAddress, textOf } from "./unsaid.ts";

const GIVES = /(?:^|\.)(?:fill|type|pressSequentially|selectOption)$/;
const MOST_GIVEN = 12;
const MOST_TOLD = 3;

interface Given {
  step: Step;
  field: SeenElement;
  text: string;
}

/** A write that the page sent with nothing in it, where the test had filled in what stands beside the button that sent it. */
export function detectEmptyWrite(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const act = knownActs(evidence).at(-1);
  if (!act) return [];
  const write = run.facts.exchanges.find(
    (one) =>
      one.ts >= act.step.ts && one.ts <= failed.to && isOwnWrite(one, run) && emptyNames(one, run) !== null,
  );
  const given = write ? givenFor(evidence, act, write) : [];
  if (!write || given.length === 0) return [];
  const names = emptyNames(write, run)!.slice(0, MOST_TOLD);
  const how =
    names.length === 0
      ? `an empty body (${quoted(requestText(write, run.bodies), 20)})`
      : `only empty values (for ${names.map((name) => quoted(name, 40)).join(", ")})`;
  return [
    {
      kind: "page_changed",
      title: `${requestOf(write, run.facts)} was sent with ${how}, though the test had given ${given.slice(0, MOST_TOLD).map(told).join(" and ")}`,
      detail: null,
      step_id: write.step_id,
      events: [write.requestSeq ?? write.seq, ...given.map(({ step }) => step.seq)],
      ts: write.ts,
      is_new: null,
      weight: 0.92,
      about: `body empty ${write.seq}`,
    },
  ];
}

/** Whether a request stores something on the site under test. */
export const isOwnWrite = (one: Exchange, run: RunEvidence): boolean =>
  isStoring(one, run) && !isBeside(one) && !isForeign(one.url, run.facts);

/** The names of what a write says, where all of it is empty; null where it says something, or that was not kept. */
function emptyNames(one: Exchange, run: RunEvidence): string[] | null {
  const text = requestText(one, run.bodies);
  const json = jsonOf(text);
  const isForm = /urlencoded/i.test(headerOf(one.requestHeaders, "content-type") ?? "");
  if (json === undefined && (!isForm || text.trim() === "")) return null;
  const said =
    json === undefined
      ? [...new URLSearchParams(text)]
          .map(([path, value]) => ({ path, value }))
          .filter(({ path }) => !AGAINST_FORGERY.test(path))
      : leavesOf(givenIn(one, run));
  if (said.length === 0 && isOneForAll(one)) return null;
  return said.every(({ value }) => value === "" || value === null) ? said.map(({ path }) => path) : null;
}

const AGAINST_FORGERY = /csrf|xsrf|token|nonce/i;

const told = ({ field, text }: Given): string => {
  const isSecret = [nameOf(field), field.attributes.type].some((one) => SECRET.test(one ?? ""));
  return `${isSecret ? "a value" : quoted(text, 60)} in ${quoted(nameOf(field), 60)}`;
};

/** What the test gave beside the element that it pressed last, that the field still has and that no request said so far. */
function givenFor(evidence: Evidence, { step, met }: Act, write: Exchange): Given[] {
  const { run } = evidence;
  const { steps, exchanges } = run.facts;
  const { elements } = met;
  const pressed = foundBy({ step, met, left: null }) ?? fieldOf(step, elements);
  if (!pressed || TICKED.test(pressed.role) || "aria-pressed" in pressed.attributes) return [];
  const opened = steps.findLast(({ name, seq }) => OPENS.test(name) && seq < step.seq)?.seq ?? 0;
  // What is written at once goes by names and forms of its own.
  const isKept = (one: Exchange) =>
    one.ts < write.ts && isOwnWrite(one, run) && emptyNames(one, run) === null;
  const isSaid = (since: number, text: string) =>
    exchanges.some(
      (one) => one.ts >= since && one.ts <= evidence.failed.to && (isIn(text, one, run) || isKept(one)),
    );
  return lastOf(
    steps,
    MOST_GIVEN,
    (one) =>
      GIVES.test(one.name) &&
      !one.isFailed &&
      one.seq > opened &&
      one.seq <= step.seq &&
      one.page === step.page &&
      one.ts <= write.ts,
  ).flatMap((one): Given[] => {
    const field = fieldOf(one, elements);
    const text = textOf(one) ?? pickedBy(one);
    if (!field || !text || FINDS.test(`${nameOf(field)} ${field.attributes.type} ${field.attributes.name}`))
      return [];
    const isCleared = field.attributes.value === "";
    return isCleared || !isTogether(elements, pressed, field) || isSaid(one.ts, text)
      ? []
      : [{ step: one, field, text }];
  });
}

/** Whether a request says a text, in its address or in what it was sent with. */
function isIn(text: string, one: Exchange, { bodies }: RunEvidence): boolean {
  const sent = requestText(one, bodies);
  const said = `${sent} ${readableAddress({ url: `${one.url} ${sent}` })}`;
  return holds(said, text) || holds(said, JSON.stringify(text).slice(1, -1));
}

const TICKED = /^(?:checkbox|switch|radio)$/;

/** What was picked of the options, by its value or its name. */
function pickedBy({ params: { options } }: Step): string | null {
  const [first] = Array.isArray(options) ? options : [];
  const picked = first?.valueOrLabel ?? first?.value ?? first?.label;
  return typeof picked === "string" && picked !== "" ? picked : null;
}

const GROUPS = /^(?:dialog|tr|li|fieldset)$/;

/** Whether a button is of a field: both stand in one form, one dialog or one row, or right beside each other. */
function isTogether(elements: readonly SeenElement[], pressed: SeenElement, field: SeenElement): boolean {
  if (pressed === field) return true;
  const [mine, theirs] = [aroundOf(elements, pressed), aroundOf(elements, field)];
  const group = mine.find(({ tag, role }) => GROUPS.test(tag) || role === "dialog" || role === "row");
  const form = formOf(elements, pressed);
  return (
    (form !== null && formOf(elements, field) === form) ||
    (group !== undefined && theirs.includes(group)) ||
    (mine[0] !== undefined && theirs[0] === mine[0] && mine[0].tag !== "body")
  );
}
