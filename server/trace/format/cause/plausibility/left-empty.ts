import { requestBodyOf } from "../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Evidence, Finding } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";

const MOST_ALIKE = 20;

/** Whether a write was refused that had been sent with nothing in the field in which every pass sends a value there. */
export function isRefusedEmpty(
  { status, events }: Finding,
  value: string,
  { run, passes }: Evidence,
): boolean {
  if (passes.length === 0 || (status !== 400 && status !== 422)) return false;
  const refused = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  if (!refused) return false;
  const empty = new Set(
    leavesOf(requestBodyOf(refused, run)).flatMap((leaf) => (leaf.value === "" ? [leaf.path] : [])),
  );
  const key = exchangeKey(refused, run.facts);
  return (
    empty.size > 0 &&
    passes.every((pass) =>
      exchangesOf(pass.facts, key)
        .slice(0, MOST_ALIKE)
        .some((one) =>
          leavesOf(requestBodyOf(one, pass)).some((leaf) => leaf.value === value && empty.has(leaf.path)),
        ),
    )
  );
}
