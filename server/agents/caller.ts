import type { Actor } from "../identity/actor.ts";
import type { Diffs } from "../trace/diffs/service.ts";

/** Who calls a tool, and how answers reach them. */
export interface Caller {
  actor: Actor;
  /** Where others find this server, for links that people open. */
  publicOrigin: string;
  /** The address that the client used, for signed links. */
  origin: string;
  /** Ends the work when the client goes. */
  signal: AbortSignal;
  /** Remembers comparisons over all calls. */
  diffs: Diffs;
}
