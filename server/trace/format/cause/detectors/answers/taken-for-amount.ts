import type { Evidence } from "../../types.ts";
import type { Leaf } from "../../values/json-leaves.ts";
import { bareOf, quoted } from "../../words.ts";

/** How the page shows a value: what is a percentage by its name and stands there as an amount was taken for another unit. */
export function asShown({ path, value }: Leaf, { failed, passes }: Evidence): string {
  const [, amount] =
    /(\p{Sc}\s?\d[\d.,]{0,20}|(?<![\d.,])\d[\d.,]{0,20}\s?\p{Sc})/u.exec(bareOf(failed.received ?? "")) ?? [];
  return passes.length === 0 && amount && typeof value === "number" && /percent|pct/i.test(path)
    ? `the page shows that percentage as an amount, ${quoted(amount, 30)}`
    : "that is what the page shows";
}

/** Whether a number counts things by its name, where the test looks at an amount of money. */
export const isCounted = ({ path }: Leaf, { failed }: Evidence): boolean =>
  /\p{Sc}/u.test(`${failed.expected} ${failed.received}`) && OF_THINGS.has(lastWordOf(path));

const OF_THINGS = new Set(
  "count left stock quantity qty seats places capacity size page limit version minutes hours days years age".split(
    " ",
  ),
);

const lastWordOf = (path: string): string =>
  path
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ ._-]/)
    .at(-1)!;
