import type { Deps } from "../../deps.ts";
import type { Surroundings } from "./follow-run.ts";

/** What the rest of the wing knows. */
export function surroundingsOf(_deps: Deps): Surroundings {
  return { quietUntil: async () => null, retry: async () => {} };
}
