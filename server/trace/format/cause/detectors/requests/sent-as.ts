import { CHANGING } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";
import { headerOf, quoted } from "../../words.ts";

/** That a write was sent without any content, or as another type of it, than in every pass, as a clause; empty where it was not, or nobody tells. */
export const sentAs = (evidence: Evidence, one: Exchange): string =>
  sentEmpty(evidence, one) || sentAsType(evidence, one);

/** Recorders keep no files, but tell how long they are. */
function sentEmpty({ run, passes }: Evidence, one: Exchange): string {
  if (!CHANGING.has(one.method) || passes.length === 0 || lengthOf(one) !== 0) return "";
  const key = exchangeKey(one, run.facts);
  const theirs = passes.map(({ facts }) => exchangesOf(facts, key).map(lengthOf));
  const usual = theirs[0]?.[0];
  return usual && theirs.every((lengths) => lengths.length > 0 && lengths.every(Boolean))
    ? `, which was sent without any content (0 bytes) where the last pass sent ${usual} bytes,`
    : "";
}

/** Bytes of what a request was sent with; null where it does not say. */
function lengthOf({ requestHeaders }: Exchange): number | null {
  const length = headerOf(requestHeaders, "content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** That a write was sent as another type of content than in every pass, as a clause; empty where it was not, or nobody tells. */
function sentAsType({ run, passes }: Evidence, one: Exchange): string {
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
