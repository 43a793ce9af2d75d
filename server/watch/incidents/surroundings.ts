import type { Deps } from "../../deps.ts";
import { insertRetry } from "../scheduler/retry.ts";
import type { Surroundings } from "./follow-run.ts";

/** What the rest of the wing knows. */
export function surroundingsOf(deps: Deps): Surroundings {
  return {
    quietUntil: async () => null,
    retry: async (trx, after, run) => void (await insertRetry(deps, trx, after, run)),
  };
}
