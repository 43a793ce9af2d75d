import { wordsOf } from "../guardrails/words.ts";
import { stem } from "./counterpart.ts";

/** Words that sentences are built with: one more or less of them changes nothing of what is said. */
const BUILDING = new Set(
  `a an the this that these those there here is are was were be been am has have had do does did we us our ours
   it its of to for at by with as so then please now just will`
    .split(/\s+/)
    .filter(Boolean),
);

/** Words that interfaces use for one and the same thing, a line each. What is not among them may say something else. */
const SAME = `cart basket bag trolley
  sign log signin login
  enter type tell give provide fill write
  choose select pick
  continue proceed go
  keep kept reserve reserved book booked
  booking reservation
  buy purchase
  photo picture image
  mail email e-mail
  get receive
  show shown view see display displayed
  start begin
  make create
  help support
  guest visitor
  bill invoice
  price cost
  item product article
  shop store
  phone telephone
  settings preferences
  hello hi welcome
  thank thanks
  search find
  everybody everyone`
  .split("\n")
  .map((line) => new Set(line.trim().split(" ").map(stem)));

/**
 * The first word of a text that another does not say in any way, not even by a word of the same meaning; null when it says them all.
 * Of two texts alike, "reserved" and "released" differ by one word like "kept" and "booked": only what is known to mean the same does.
 */
export function unsaidWord(before: string, after: string): string | null {
  const there = new Set(wordsOf(after).map(stem));
  const isSaid = (word: string): boolean => {
    const own = stem(word);
    return there.has(own) || SAME.some((group) => group.has(own) && [...there].some((one) => group.has(one)));
  };
  return wordsOf(before).find((word) => !BUILDING.has(word) && !isSaid(word)) ?? null;
}
