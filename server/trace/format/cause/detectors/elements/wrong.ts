import { oneLine } from "../../../error-text.ts";
import type { Evidence } from "../../types.ts";
import { jsonOf } from "../../values/json-leaves.ts";
import { bareOf } from "../../words.ts";
import { BY_ROLE, closestElement, LIKE_ENOUGH } from "./missing.ts";

/** What the test met instead of what it wanted, without what both have. */
export interface Wrong {
  want: string;
  got: string;
  isCount: boolean;
  /** All that was met, as a value may be called. */
  whole?: string;
  /** Read from the element itself, and not guessed from what stands in its place. */
  isRead: boolean;
  /** Read from what is only of the same kind, and not of a like name. */
  isGuessed?: boolean;
}

/** What the test wanted and what stood there, both without what they share. */
export function wrongOf(evidence: Evidence): Wrong | null {
  const { failed } = evidence;
  if (failed.expected !== null && failed.received !== null) {
    const [want, got] = [bareOf(failed.expected), bareOf(failed.received)];
    const isCount =
      /^\d+$/.test(want) && /^\d+$/.test(got) && /count|length/i.test(`${failed.title} ${failed.message}`);
    if (want === got || got === "") return { want, got: "", isCount: false, isRead: true };
    const part = isCount || evidence.passes.length > 0 ? null : partOfForm(want, got);
    return { ...(listsApart(want, got) ?? apart(want, part ?? got)), isCount, isRead: true };
  }
  const closest = closestElement(evidence);
  if (!closest || closest.likeness < LIKE_ENOUGH) return null;
  const [want, got] = [oneLine(closest.wanted), oneLine(closest.element.own || closest.element.name)];
  return want === got ||
    got === "" ||
    (evidence.passes.length === 0 && want.toLowerCase().includes(got.toLowerCase()))
    ? null
    : {
        ...apart(want, got),
        whole: got,
        isCount: false,
        isRead: false,
        isGuessed: closest.isInPlace && closest.likeness <= BY_ROLE,
      };
}

/** The words in which two texts differ, what stands before and after them left out. */
function apart(want: string, got: string): { want: string; got: string } {
  const [a, b] = [want.split(" "), got.split(" ")];
  let from = 0;
  while (from < Math.min(a.length, b.length) - 1 && a[from] === b[from]) from++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - from - 1 && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const part = (words: string[]) => words.slice(from, words.length - tail).join(" ");
  return { want: part(a), got: part(b) };
}

/** The texts in which two lists differ where each has one at most that the other has not, else both lists; null where they are none. */
function listsApart(want: string, got: string): { want: string; got: string } | null {
  const [wanted, met] = [jsonOf(want), jsonOf(got)];
  if (!Array.isArray(wanted) || !Array.isArray(met)) return null;
  const missing = wanted.filter((one) => !met.includes(one));
  const instead = met.filter((one) => !wanted.includes(one));
  const all = [...missing, ...instead];
  return missing.length <= 1 && instead.length <= 1 && all.every((one) => typeof one === "string")
    ? { want: missing[0] ?? "", got: instead[0] ?? "" }
    : { want, got };
}

/** Of a longer text the part that is of the wanted form: “$26.00” in “Total: $26.00” for “€26.00”. */
function partOfForm(want: string, got: string): string | null {
  if (!/\d/.test(want) || want.length > 60 || got.length <= want.length || got.includes(want)) return null;
  const form = want
    .split(/(\d+|[$€£¥])/)
    .map((part, at) =>
      at % 2 === 0 ? part.replace(/[^\w\s]/g, "\\$&") : /\d/.test(part) ? "\\d+" : "[$€£¥]",
    )
    .join("");
  return new RegExp(`(?<!\\d)${form}(?!\\d)`).exec(got)?.[0] ?? null;
}
