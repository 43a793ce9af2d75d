import { isWrite, requestBodyOf, SECRET, STORING } from "../../exchanges/sent.ts";
import type { ServedElement } from "../../exchanges/served-elements.ts";
import { placeOf, type ServedPlace } from "../../exchanges/served-place.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, headerOf, isForeign, isTracker, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { elementsOf } from "./served-element.ts";
import { namedIn } from "./served-value.ts";

/** The place of a text on a served page: of the element that the test names, else of the only one that has it. Empty texts stand in many. */
export function placeOn(evidence: Evidence, one: Exchange, text: string): ServedPlace | null {
  const elements = elementsOf(evidence, bodyOf(one, evidence.run.bodies) ?? "");
  const named = namedIn(evidence);
  const all = elements.filter((element) => element.text === text && !WHOLE.has(element.tag));
  const sought = named === null ? [] : all.filter(named.isIt);
  const [element, ...others] = sought.length > 0 ? sought : text === "" ? [] : innermostOf(all);
  return element && others.length === 0 ? placeOf(element, elements) : null;
}

function innermostOf(all: readonly ServedElement[]): ServedElement[] {
  const holding = new Set(all.map(({ around }) => around));
  return all.filter((element) => !holding.has(element));
}

/** What holds no value of its own. */
const WHOLE = new Set(["title", "option", "script", "style", "template"]);

/** As a clause: ` for “Phone”`; empty where it is not known. */
export const forPlace = (place: ServedPlace | null): string =>
  place === null ? "" : ` for ${quoted(place.label, 60)}`;

/**
 * How a form of the run had been sent, as in every pass, with what the page that it led to has otherwise, as a clause: the figures of
 * two fields in each other's place, or a field by the name of the place. Null where none was sent so.
 */
export function sentForPlace(
  evidence: Evidence,
  one: Exchange,
  place: ServedPlace | null,
  [now, before]: readonly [string, string],
): { words: string; write: Exchange } | null {
  const { run } = evidence;
  const write = run.facts.exchanges.findLast((each) => each.ts < one.ts && isTaken(each, one, run));
  if (!write) return null;
  const sent = leavesOf(requestBodyOf(write, run)).filter(
    (leaf) => isTold(leaf) && isSentInPasses(evidence, write, leaf),
  );
  const said = (fields: readonly Leaf[]) =>
    `${requestOf(write, run.facts)} had been sent with ${fields.map(({ path, value }) => `${path}=${quotedShort(value)}`).join(" and ")} and answered with ${write.status}`;
  const turned = turnedFields(sent, now, before);
  if (turned) return { write, words: `; ${said(turned)}: the two changed places` };
  const field = place && sent.find(({ path }) => place.names.some((name) => isNameOf(path, name)));
  return field ? { write, words: `; ${said([field])}: it was not kept, or is read otherwise` } : null;
}

const quotedShort = (value: unknown): string => String(value).slice(0, 30);

const isTold = ({ path, value }: Leaf): boolean =>
  !SECRET.test(path) && value !== null && value !== "" && String(value) !== "<id>";

/** Whether a form was taken that led to a page. */
function isTaken(write: Exchange, page: Exchange, run: RunEvidence): boolean {
  const { status } = write;
  const to = headerOf(write.headers, "location");
  return (
    STORING.has(write.method) &&
    write.type !== "api" &&
    (status === 302 || status === 303) &&
    isWrite(write, run) &&
    !isFailedExchange(write) &&
    !isTracker(write.url) &&
    !isForeign(write.url, run.facts) &&
    !SIGN_IN.test(pathOf(write.url)) &&
    to !== null &&
    URL.parse(to, write.url)?.pathname === pathOf(page.url)
  );
}

/** Whether every pass sent the field with the same value. */
const isSentInPasses = ({ run, passes }: Evidence, write: Exchange, { path, value }: Leaf): boolean =>
  passes.every((pass) => {
    const same = ofSameTurn(write, run.facts, pass.facts);
    return (
      same !== undefined &&
      leavesOf(requestBodyOf(same, pass)).some((other) => other.path === path && other.value === value)
    );
  });

/** The two fields whose figures stand in the usual order in the passes, and the other way round here. */
function turnedFields(sent: readonly Leaf[], now: string, before: string): [Leaf, Leaf] | null {
  const [mine, usual] = [figuresIn(now), figuresIn(before)];
  const [first, second] = usual;
  const isTurned = usual.length === 2 && first !== second && mine.join() === usual.toReversed().join();
  const [one, other] = [first, second].map((figure) => sent.filter(({ value }) => String(value) === figure));
  return isTurned && one!.length === 1 && other!.length === 1 ? [one![0]!, other![0]!] : null;
}

const figuresIn = (text: string): string[] => text.match(/\d+/g) ?? [];

/** Whether a field is of a place: `team_id` of “Team”, `consent` of “Photo consent”. */
function isNameOf(path: string, name: string): boolean {
  const field = wordsIn(
    path
      .replace(/[[\]]/g, ".")
      .split(".")
      .findLast((part) => part !== "" && !/^\d+$/.test(part)) ?? "",
  ).filter((word) => word !== "id");
  const words = wordsIn(name);
  return field.length > 0 && field.every((word) => word.length > 2 && words.includes(word));
}

const wordsIn = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");

const MOST_CREATED = 20;

/**
 * Which request of the test had created the thing of a page without a word of what the page has otherwise, as a clause: the server took
 * that of itself. Empty where none did, or where something was written since.
 */
export function createdWithout(evidence: Evidence, one: Exchange, place: ServedPlace | null): string {
  const { run, passes } = evidence;
  const id = pathOf(one.url)
    .split("/")
    .findLast((part) => part !== "");
  if (!place || !id || !/\d/.test(id)) return "";
  const writes = run.facts.exchanges.filter((each) => each.ts < one.ts && isWrite(each, run));
  const created = writes
    .slice(-MOST_CREATED)
    .find(
      (each) =>
        each.type === "api" &&
        each.status === 201 &&
        leavesOf(jsonOf(bodyOf(each, run.bodies) ?? "")).some(
          ({ path, value }) => path === "id" && String(value) === id,
        ),
    );
  if (!created || writes.some((each) => each.ts > created.ts && pathOf(each.url).includes(`/${id}`)))
    return "";
  const isNamed = (write: Exchange, its: RunEvidence) =>
    leavesOf(requestBodyOf(write, its)).some(({ path }) => place.names.some((name) => isNameOf(path, name)));
  const isUsual = passes.every((pass) => {
    const same = ofSameTurn(created, run.facts, pass.facts);
    return same !== undefined && same.status === created.status && !isNamed(same, pass);
  });
  return isUsual && !isNamed(created, run) && leavesOf(requestBodyOf(created, run)).length > 0
    ? `; the test had created it by ${requestOf(created, run.facts)}, which was sent without that as in the passes: it is what the server takes by default`
    : "";
}

const MOST_FIGURES = 20;

/** Another figure of the page that differs as well, with what it is of: of a sum it tells which part is another one. Empty where there is none. */
export function figureBeside(
  evidence: Evidence,
  one: Exchange,
  {
    fresh,
    gone,
    told,
  }: { fresh: readonly string[]; gone: readonly string[]; told: readonly (string | null)[] },
): string {
  if (fresh.length !== gone.length || fresh.length > MOST_FIGURES || !/\d/.test(told[0] ?? "")) return "";
  for (const [at, now] of fresh.entries()) {
    const before = gone[at]!;
    if (told.includes(now) || told.includes(before) || withoutFigures(now) !== withoutFigures(before))
      continue;
    const place = /\d/.test(now) ? placeOn(evidence, one, now) : null;
    if (place)
      return `; it has ${quoted(now, 40)}${forPlace(place)} there too, where the last pass had ${quoted(before, 40)}`;
  }
  return "";
}

const withoutFigures = (text: string): string => text.replace(/[\d.,]+/g, "0");
