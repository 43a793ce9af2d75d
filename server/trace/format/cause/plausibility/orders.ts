import { oncePer } from "../once.ts";
import type { Finding } from "../types.ts";
import { bodyOf } from "../words.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, explained, lessBy, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** Below it no other order matters to the test. */
const TELLING = 0.8;
/** Their answers are looked through for every thing that was read. */
const MOST = 5;

/** Lists in another order, each with what was read of one of their things afterwards. */
const readByPlace = oncePer(({ news, evidence: { run } }: Scene, _: "read") => {
  const lists = new Set<Finding>();
  const reads = new Set<Finding>();
  const reordered = news.filter(
    ({ isReordered, is_new, weight }) => isReordered && is_new === true && weight >= TELLING,
  );
  for (const list of reordered.slice(-MOST)) {
    const answer = run.facts.exchanges.find(({ seq }) => seq === list.events[0]);
    const body = answer && bodyOf(answer, run.bodies);
    if (!body) continue;
    for (const read of news) {
      const id = read !== list && isOfRead(read) && isBehind(list, read) ? idOf(read) : null;
      if (id === null || !body.includes(`"${id}"`)) continue;
      lists.add(list);
      reads.add(read);
    }
  }
  return { lists, reads };
});

/** The id at the end of an address that was read. */
function idOf({ title }: Finding): string | null {
  const last = /^GET ([^?#\s]+)/.exec(title)?.[1]?.split("/").at(-1) ?? "";
  return /^(?=.*\d)[\w-]{4,}$/.test(last) ? last : null;
}

/** Who takes a thing by its place in a list takes another one where the order is another one. */
const takenByPlace: Rule = (finding, scene) => {
  const { lists, reads } = readByPlace(scene, "read");
  return lists.has(finding) ? atLeast(0.96) : reads.has(finding) ? explained : null;
};

/** A write that goes by a place in a list goes to another thing where the list came in another order. */
const sentByPlace: Rule = (finding, { news }) => {
  const isOrder = ({ isReordered, is_new, weight }: Finding) =>
    isReordered === true && is_new === true && weight >= KNOWN;
  if (isOrder(finding) && news.some((write) => write.isToAnother && isBehind(finding, write)))
    return atLeast(0.96);
  return finding.isToAnother && news.some((list) => isOrder(list) && isBehind(list, finding))
    ? explained
    : null;
};

/** From here on another order is none that nobody looks at. */
const KNOWN = 0.5;

/** That a locator fits several elements is what an older answer brought, which came after the newer one. */
const fitsOlder: Rule = ({ kind, is_new }, { news }) =>
  kind === "element_ambiguous" &&
  is_new !== false &&
  news.some((one) => one.kind === "out_of_order" && one.isShown && one.weight >= TELLING)
    ? lessBy(0.75)
    : null;

/** A part of a list that is sorted otherwise has other things, in other places. */
const sortedAsText: Rule = ({ kind, events, isSortedAsText }, { news }) =>
  kind === "answer_changed" &&
  !isSortedAsText &&
  news.some((one) => one.isSortedAsText && one.is_new === true && one.events[0] === events[0])
    ? explained
    : null;

/** A list that was kept as it was after a drag, and what kept the drag from moving anything: an element that cannot be dragged, or what the page threw meanwhile. */
const unmovedBy = oncePer(({ news, evidence: { run } }: Scene, _: "moved") => {
  const unmoved = news.find(({ isUnmoved }) => isUnmoved);
  const mover = unmoved && run.facts.steps.find(({ seq }) => seq === unmoved.events[2]);
  if (!mover) return null;
  const isHeld = ({ about, title, is_new }: Finding) =>
    is_new === true && about === `acted ${mover.seq}` && title.includes("draggable");
  const isThrown = ({ kind, ts, is_new, isOwn }: Finding) =>
    kind === "page_error" &&
    is_new !== false &&
    isOwn !== false &&
    ts !== null &&
    ts >= mover.ts - DRAGGED_MS &&
    ts <= mover.end + DROPPED_MS;
  return { unmoved, stopper: news.find(isHeld) ?? news.find(isThrown) };
});

/** By the mouse a drag is several steps, of which the last is told. */
const DRAGGED_MS = 1_000;
const DROPPED_MS = 300;

/** What was kept in the order of before tells that nothing was moved, and what kept it from being moved comes before that. */
const leftUnmoved: Rule = (finding, scene) => {
  const found = unmovedBy(scene, "moved");
  if (found === null) return null;
  const { unmoved, stopper } = found;
  if (finding === stopper) return all(because(unmoved), atLeast(0.985));
  if (finding === unmoved) return stopper ? explained : finding.is_new === true ? atLeast(0.975) : null;
  return finding.about === unmoved.about ? explained : null;
};

/** Rules of the order of lists, and of answers. */
export const ORDERS: readonly Rule[] = [leftUnmoved, takenByPlace, sentByPlace, fitsOlder, sortedAsText];
