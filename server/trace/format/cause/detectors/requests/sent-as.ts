import { exchangeKey, exchangesOf } from "../../keys.ts";
import type { Exchange } from "../../run-facts.ts";
import { CHANGING } from "../../sent.ts";
import type { Evidence } from "../../types.ts";
import { headerOf, quoted } from "../../words.ts";

/** That a write was sent as another type of content than in every pass, as a clause; empty where it was not, or nobody tells. */
export function sentAs({ run, passes }: Evidence, one: Exchange): string {
  const mine = CHANGING.has(one.method) ? contentTypeOf(one) : null;
  if (mine === null || passes.length === 0) return "";
  const key = exchangeKey(one, run.facts);
  const theirs = passes.map(({ facts }) => exchangesOf(facts, key).map(contentTypeOf));
  const [usual] = theirs[0] ?? [];
  const isUsual = theirs.every((types) => types.length > 0 && types.every((type) => type === usual));
  return usual && isUsual && usual !== mine
    ? `, which was sent with Content-Type ${quoted(mine, 60)} where the last pass sent ${quoted(usual, 60)},`
    : "";
}

/** The type of content that a request says it has, without its parameters; null where it says none. */
export const contentTypeOf = ({ requestHeaders }: Exchange): string | null =>
  (headerOf(requestHeaders, "content-type") ?? "").split(";")[0]!.trim().toLowerCase() || null;
