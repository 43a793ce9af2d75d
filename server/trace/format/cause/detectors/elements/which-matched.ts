import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, partsOf, testIdOf, told } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

const MOST_NAMED = 3;

/**
 * Which elements a locator found that is meant for one, by what tells them apart, and which of them stands on no page of the
 * passes, as a clause; as the call log names them where the recorded page has not as many of them.
 */
export function whichMatched(evidence: Evidence, count: number, log: readonly string[]): string {
  const { run, passes } = evidence;
  const foundIn = ({ page }: RunEvidence) => foundWithin(targetOf(evidence), page?.elements ?? []);
  const mine = foundIn(run);
  if (mine.length !== count) return listed([...new Set(namedIn(log))], count);
  const names = namesOf(mine, run.page?.elements ?? []);
  if (names.every((name) => name === names[0])) return alike(evidence, mine);
  const theirs = passes.map(foundIn);
  const usual = new Set(theirs.flat().map(keyOf));
  const isFresh = (_: string, at: number) => !usual.has(keyOf(mine[at]!));
  const fresh = names.filter(isFresh);
  const known = names.filter((name, at) => !isFresh(name, at));
  const isKnown = theirs.length > 0 && theirs.every(({ length }) => length > 0) && known.length > 0;
  if (!isKnown || fresh.length === 0 || count > MOST_NAMED) return listed(names, count);
  return `: ${known.join(", ")} and ${fresh.join(" and ")}, which ${fresh.length === 1 ? "stands" : "stand"} there in no pass`;
}

/** What only says something is the same element whatever it says. */
const keyOf = ({ tag, role, name, attributes }: SeenElement): string =>
  `${tag} ${role} ${role === "" ? "" : name} ${testIdOf(attributes) ?? ""}`;

function listed(names: readonly string[], count: number): string {
  if (names.length < 2) return "";
  const few = names.slice(0, MOST_NAMED);
  const more = count - few.length;
  return more > 0
    ? `: ${few.join(", ")} and ${more} more`
    : `: ${few.slice(0, -1).join(", ")} and ${few.at(-1)}`;
}

/** Elements as a person says them; with the part of the page that each stands in where they are called alike. */
function namesOf(found: readonly SeenElement[], elements: readonly SeenElement[]): string[] {
  const names = found.map(told);
  if (new Set(names).size === names.length) return names;
  const places = found.map((one) => aroundOf(elements, one).find(isPart));
  return new Set(places).size === places.length
    ? names.map((name, at) => `${name}${places[at] ? ` in ${told(places[at])}` : ""}`)
    : names;
}

const isPart = ({ role, name, attributes }: SeenElement): boolean =>
  PARTS.has(role) && (name.length <= LONGEST_PART || attributes["aria-label"] !== undefined);
const PARTS = new Set(
  "dialog alertdialog region navigation main complementary banner form article".split(" "),
);
const LONGEST_PART = 40;

/** `1) <b data-testid="status">Open</b> aka getByTestId('status')` */
const namedIn = (log: readonly string[]): string[] =>
  log.flatMap((line) => {
    const [said = "", locator] = line.split(" aka ", 2);
    const text = /^ {0,9}\d{1,6}\) <[^<>]{0,500}>([^<]{0,200})/.exec(said)?.[1] ?? "";
    return locator === undefined
      ? []
      : [`${text === "" || text === "…" ? "" : `${quoted(text, 40)} `}${locator}`];
  });

/** Elements that nothing tells apart; what the locator says of them is not said again. */
function alike(evidence: Evidence, found: readonly SeenElement[]): string {
  const [one] = found as [SeenElement];
  const stood = found.length <= MOST_NAMED ? stoodInPlace(evidence, found) : "";
  return stood === "" && targetOf(evidence).includes(one.name) ? "" : `: each is ${told(one)}${stood}`;
}

/** What the last pass has in the place of elements that are all the same, as a clause; empty where that is not known. */
function stoodInPlace({ failed, run, passes: [newest] }: Evidence, found: readonly SeenElement[]): string {
  const around = partsOf(targetOf({ failed })).slice(0, -1);
  if (!newest?.page || around.length === 0) return "";
  const [{ tag, role, name }] = found as [SeenElement];
  const scope = [...around, `getByRole('${role}')`].join(".");
  const [now, before] = [run.page, newest.page].map((page) =>
    foundWithin(scope, page?.elements ?? []).filter((one) => one.tag === tag),
  ) as [SeenElement[], SeenElement[]];
  const kept = new Set(now.map((one) => one.name));
  const gone = before.filter(
    (one) => !kept.has(one.name) && !one.name.startsWith(name) && !name.startsWith(one.name),
  );
  return role !== "" && now.length === before.length && gone.length === found.length - 1
    ? `, where the last pass has ${gone.map((one) => quoted(one.name, 50)).join(" and ")} in the place of ${gone.length === 1 ? "one" : gone.length}`
    : "";
}
