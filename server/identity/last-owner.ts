import type { MemberChange } from "../../store/records/members.ts";
import { conflict, notFound } from "../http/errors.ts";

/** @throws AppError `not_found` when nobody was there to change, `conflict` when the org would be without an owner */
export function requireChanged(change: MemberChange): void {
  if (change === "absent") throw notFound("This member");
  if (change === "last_owner")
    throw conflict("An org needs an owner: make another member the owner first, or delete the org.");
}
