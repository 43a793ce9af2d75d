import { type OtherSent, otherSent, toldOf } from "../../exchanges/other-sent.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Failed, Finding } from "../../types.ts";
import { isDateIn } from "../../values/dates.ts";
import { hasNumber } from "../../values/figures.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, pathOf, requestOf } from "../../words.ts";

const MOST = 20;

/** What the page sent to be kept otherwise than in every pass, though the answer went well: what is shown later is what was sent. */
export function detectSentOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const writes = answersBefore(
    evidence,
    MOST,
    ({ method, url, type }) => CHANGING.has(method) && type !== "api" && !isForeign(url, run.facts),
  );
  const told = new Set<string>();
  return writes.flatMap((one): Finding[] => {
    const another = sentElsewhere(evidence, one);
    if (another) return [another];
    const other = otherSent(evidence, one);
    // What a query or a header says is of the transport: sessions, versions, moments.
    if (!other?.path.startsWith("the field")) return [];
    const title = `${requestOf(one, run.facts)} was sent`;
    // Each of many such is the same mistake.
    if (other.isNoId && told.has(`${title} ${other.path}`)) return [];
    told.add(`${title} ${other.path}`);
    return [
      {
        ...sharedOf(one),
        title: `${title} ${toldOf(other, evidence, one)}${fromHidden(other, evidence, one)}`,
        weight: isShown(other, failed)
          ? 0.94
          : other.isNoId || other.isNoValue || other.isDateTurned
            ? 0.86
            : 0.5,
        sentField: other.path.replace("the field ", ""),
        ...(other.now !== undefined && { said: String(other.now) }),
        ...(other.isNoId && { isNoId: true }),
        ...(other.isNoValue && { isNoValue: true }),
        ...(other.isDateTurned && { isDateTurned: true }),
      },
    ];
  });
}

const sharedOf = (one: Exchange) => ({
  kind: "page_changed" as const,
  detail: null,
  step_id: one.step_id,
  events: [one.requestSeq ?? one.seq],
  ts: one.ts,
  is_new: true,
  about: `body ${one.seq}`,
});

/** Whether the failed step speaks of what was sent, or of what should have been. */
function isShown({ before, now }: OtherSent, { title, message, expected, received }: Failed): boolean {
  const [want, got] = [expected ?? "", received ?? ""];
  const words = `${title} ${message} ${want} ${got}`;
  return (
    [before, now].some((value) => typeof value === "string" && value.length > 2 && words.includes(value)) ||
    (isIn(before, want) && isIn(now, got) && !isIn(now, want))
  );
}

/** Whether a text says a date or a number. */
function isIn(value: unknown, text: string): boolean {
  if (typeof value === "number") return hasNumber(text, value);
  if (typeof value !== "string") return false;
  const count = ITEMS.exec(value)?.[1];
  return count === undefined ? isDateIn(value, text) : hasNumber(text, Number(count));
}

/** How a list is told. */
const ITEMS = /^(\d{1,6}) items?$/;

const itemsIn = (value: unknown): number => Number(ITEMS.exec(String(value))?.[1]);

/** Where all that a form was sent with beyond the usual stands in what the page hides, as a clause: what is ticked there is sent as well. */
function fromHidden({ path, now, before }: OtherSent, { run }: Evidence, { ts }: Exchange): string {
  const more = itemsIn(now) - itemsIn(before);
  const page = run.before;
  if (!(more > 0) || !page || page.shot.ts > ts) return "";
  const name = path.replace("the field ", "");
  const hidden = page.elements.filter(
    ({ isHidden, attributes }) => isHidden && attributes.name === name && "checked" in attributes,
  );
  return hidden.length === more ? `: ${more} of them are ticked in hidden parts of the page` : "";
}

/** Answers in which the usual thing is looked for. */
const MOST_ANSWERS = 40;
/** Of more requests of one method none is looked for in the place of another. */
const MOST_ALIKE = 50;

/**
 * A write that went to another thing of its kind than in every pass; one pass does not tell whether its ids vary. Surely so where this run
 * was told of the usual thing too.
 */
function sentElsewhere(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const path = pathOf(one.url);
  if (passes.length < 2) return null;
  const [mine, ...theirs] = [run, ...passes].map(({ facts }) => writesIn(facts, one.method));
  if (theirs.some((writes) => writes.has(path))) return null;
  const others = [...theirs[0]!].filter(
    ([usual]) =>
      !mine!.has(usual) && theirs.every((writes) => writes.has(usual)) && placeApart(usual, path) !== null,
  );
  const [other] = others;
  if (!other || others.length > 1) return null;
  const [usualPath, usual] = other;
  const id = usualPath.split("/")[placeApart(usualPath, path)!];
  const isKnown = answersBefore(evidence, MOST_ANSWERS).some(
    (answer) =>
      answer.ts < one.ts &&
      leavesOf(jsonOf(bodyOf(answer, run.bodies) ?? "")).some(({ value }) => String(value) === id),
  );
  return {
    ...sharedOf(one),
    title: `${requestOf(one, run.facts)} was sent where every pass sent ${requestOf(usual, passes[0]!.facts)}`,
    weight: isKnown ? 0.97 : 0.5,
    isToAnother: true,
  };
}

/** The last requests of a method that keep something, by their paths. */
const writesIn = ({ exchanges }: RunFacts, method: string): Map<string, Exchange> =>
  new Map(
    lastOf(exchanges, MOST_ALIKE, (one) => one.method === method && one.type !== "api").map((one) => [
      pathOf(one.url),
      one,
    ]),
  );

/** The one place after what names their kind at which two paths differ; null where they differ otherwise. */
function placeApart(path: string, other: string): number | null {
  const [mine, theirs] = [path.split("/"), other.split("/")];
  const apart = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
  const kind = mine.findIndex((part) => part !== "" && !OF_EVERY_KIND.test(part));
  return mine.length === theirs.length && apart.length === 1 && apart[0]! > kind ? apart[0]! : null;
}

/** What addresses begin with, whatever they are of. */
const OF_EVERY_KIND = /^_?(?:api|rest|internal|v\d+)$/i;
