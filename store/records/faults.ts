import { faultOf as sqliteFaultOf } from "./engine/sqlite/failures.ts";
import type { RecordsFault } from "./errors.ts";

/**
 * What an error of the records means, by the code that it bears, also where no records are open: they may be what could not
 * be opened. Null for an error that comes from elsewhere.
 */
export function recordsFault(error: unknown): RecordsFault | null {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" ? sqliteFaultOf(code) : null;
}
