import type { Role } from "../../store/records/schema.ts";
import type { Scope } from "./scopes.ts";

/** Who makes a request, as the auth macro hands it to routes and they to services. */
export interface Actor {
  type: "api_key" | "session" | "internal" | "org_header";
  /** Id of the key, hash prefix of the session, or "internal". */
  id: string;
  orgId: string;
  userId: string | null;
  role: Role | null;
  scopes: ReadonlySet<Scope>;
  ip: string | null;
}
