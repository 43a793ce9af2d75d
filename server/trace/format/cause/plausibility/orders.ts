import { oncePer } from "../once.ts";
import type { Finding } from "../types.ts";
import { bodyOf } from "../words.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { atLeast, explained, lessBy, type Rule } from "./rule.ts";
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

/** Rules of the order of lists, and of answers. */
export const ORDERS: readonly Rule[] = [takenByPlace, sentByPlace, fitsOlder, sortedAsText];
