import { CHANGING, requestText } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";

/** That the last pass was let through with the very same as was refused here, where it had been refused once as well, as a clause; empty where it was not so. */
export function letThrough({ run, passes }: Evidence, one: Exchange): string {
  const text = requestText(one, run.bodies);
  const pass = passes[0];
  if (!CHANGING.has(one.method) || text === "" || !pass || one.status === null || one.status >= 500)
    return "";
  const same = exchangesOf(pass.facts, exchangeKey(one, run.facts));
  const taken = same.find(
    (other) =>
      other.status !== null &&
      other.status < 400 &&
      other.url === one.url &&
      requestText(other, pass.bodies) === text,
  );
  return taken && same.some(({ status }) => status === one.status)
    ? `; the last pass sent the very same, and was answered with ${taken.status}`
    : "";
}
