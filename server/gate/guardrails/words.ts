import type { Text } from "../../run/language/ast.ts";

/** Words in lower case, without punctuation; references are words. */
export function wordsOf(text: string): string[] {
  return (
    text.toLowerCase().match(/\$\{[^}]*\}|[\p{L}\p{N}][\p{L}\p{N}'’.,-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? []
  );
}

/** All numbers of a text with the currency before or behind them, in their order. */
export function amountsOf(text: string): string[] {
  return (
    text.match(/\p{Sc}?\s?\d+(?:[.,:]\d+)*\s?(?:%|\p{Sc})?/gu)?.map((one) => one.replace(/\s/g, "")) ?? []
  );
}

/** Numbers that are written out. "One" also stands for nothing in particular. */
const COUNTS = new Set(
  "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half twice".split(
    " ",
  ),
);
const numbersOf = (text: string): string =>
  [...amountsOf(text), ...wordsOf(text).filter((word) => COUNTS.has(word))].join(" ");

/** A word and its opposite: "booked" and "overbooked". Short words are others that happen to end alike. */
const TURNED = /^(?:un|in|im|ir|dis|mis|non-?|de|over|under|out|pre-?|re)(?=\p{L}{4})/u;
const turns = (word: string, other: string): boolean =>
  TURNED.test(other) && other.replace(TURNED, "") === word;

/** What a program shows when something went wrong within it. */
const BROKEN = /\b(?:undefined|null|nan|infinity)\b|\[object|\{\{|\$\{|%[sd]\b|\bfalse\b|\btrue\b/i;

/**
 * Words that say how something ended or stands. A text that gains or loses one of them says something else, however alike the
 * two sound: "Order confirmed" and "Order cancelled".
 */
const STATES = new Set(
  `error errors fail fails failed failing failure wrong problem problems issue invalid incorrect declined decline refused
   refuse rejected reject denied deny forbidden blocked expired expire cancelled canceled cancel void refunded refund pending waiting wait
   processing queued delayed delay unavailable offline down sold out empty missing lost gone closed close open opened
   unknown unauthorized unauthorised unpaid paid unconfirmed confirmed confirm completed complete incomplete success successful
   succeeded unsuccessful accepted accept approved approve received sent unsent delivered undelivered shipped returned
   removed remove deleted delete discard discarded erase erased destroy destroyed wipe reset revoke revoked abandon
   abandoned terminate terminated deactivate deactivated unsubscribe trash overwrite disabled enabled inactive active locked suspended banned unsubscribed sorry oops unfortunately
   retry again later couldn't could cannot can't unable not no never none nothing without isn't wasn't doesn't didn't won't
   don't required limit exceeded maximum minimum too over ended end starts ends begins begun yes out in on off
   draft preview test demo maintenance notify waitlist public private anonymous readonly read-only writable encrypted
   nobody nowhere neither nor hardly barely almost nearly partly partially except excluded instead broken
   unencrypted insecure verified unverified visible invisible daily weekly monthly yearly annual annually credit debit deposit`
    .split(/\s+/)
    .filter(Boolean),
);
/** Of them, those that also stand in sentences that say nothing about a state: they count where they change the sentence's end. */
const COMMON = new Set([
  "in",
  "on",
  "out",
  "off",
  "over",
  "open",
  "close",
  "end",
  "ends",
  "too",
  "again",
  "test",
  "accept",
  "wait",
  "confirm",
]);

/** "Aren't" and its kind are states as well: what they deny is not so. */
export const isState = (word: string): boolean =>
  (STATES.has(word) && !COMMON.has(word)) || /n['’]t$/.test(word);

/**
 * Why an element that is used does something else than another, by what the two are called, in words that follow "the new one"; null
 * when nothing of what is known speaks against it. It may lose what the other said: "Confirm order" may be "Place order".
 */
export function doesOtherwise(before: string, after: string): string | null {
  const old = new Set(wordsOf(before));
  const gained = wordsOf(after).find((word) => isState(word) && !old.has(word));
  if (gained !== undefined) return `says "${gained}"`;
  if (isBroken(after) && !isBroken(before)) return "shows the inside of a program";
  if (numbersOf(before) !== numbersOf(after)) return "has other numbers";
  return turned(before, after);
}

/** Whether a program's inner workings show in a text that is for people. */
export const isBroken = (text: string): boolean => BROKEN.test(text);

/**
 * Why a text does not say what another said, in words that follow "the new text"; null when nothing of what is known speaks
 * against it. It judges what must never change: amounts, references, how something ended; not whether the change is meant.
 */
export function saysOtherwise(before: string, after: string): string | null {
  if (numbersOf(before) !== numbersOf(after)) return "has other numbers";
  if (referencesOf(before).join(" ") !== referencesOf(after).join(" ")) return "has other references";
  if (isBroken(after) && !isBroken(before)) return "shows the inside of a program";
  const [old, now] = [new Set(wordsOf(before)), new Set(wordsOf(after))];
  for (const word of now)
    if (isState(word) && !old.has(word)) return `says "${word}", which the old one does not`;
  for (const word of old) if (isState(word) && !now.has(word)) return `no longer says "${word}"`;
  return turned(before, after);
}

function turned(before: string, after: string): string | null {
  const [old, now] = [new Set(wordsOf(before)), new Set(wordsOf(after))];
  for (const word of now)
    for (const other of old)
      if (!old.has(word) && !now.has(other) && (turns(other, word) || turns(word, other)))
        return `says "${word}" where the old one says "${other}"`;
  return null;
}

/** Why a text that is looked for would be found more easily than another, in words that follow "the new text"; null when not. */
export function isLooser(before: string, after: string): string | null {
  if (after.trim() === "") return "is empty";
  const fold = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  if (fold(after) === fold(before)) return null;
  if (fold(after) === "") return "has no letter";
  if (fold(before).includes(fold(after))) return "is only a part of the old one";
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const left = [...old];
  const isSubset = now.every((word) => {
    const at = left.indexOf(word);
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
  if (isSubset && now.length < old.length) return "has only some of the old one's words";
  if (now.length * 5 < old.length * 3) return "has far fewer words";
  if (fold(after).length * 5 < fold(before).length * 3) return "is far shorter";
  return null;
}

const referencesOf = (text: string): string[] => text.match(/\$\{[^}]*\}/g) ?? [];

/** With its references in place. */
export const plain = (text: Text): string =>
  typeof text === "string"
    ? text
    : text.parts.map((part) => (typeof part === "string" ? part : `\${${part.ref}}`)).join("");

/** Whether two texts have at least half of their words in common, whatever the words' ends. */
export function sharesWords(before: string, after: string): boolean {
  const stems = (text: string) => new Set(wordsOf(text).map((word) => word.replace(/(?:ies|es|s)$/, "")));
  const [old, now] = [stems(before), stems(after)];
  const shared = [...old].filter((word) => now.has(word)).length;
  return shared > 0 && shared * 2 >= Math.max(old.size, now.size);
}
