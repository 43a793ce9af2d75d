import type { Trx } from "../../../store/records/db.ts";
import { insertMembership, insertUser } from "../../../store/records/identity.ts";
import type { Deps } from "../../deps.ts";
import { auditAct } from "../audit.ts";
import { plainAddress } from "../mail/address.ts";

const MAX_NAME_LENGTH = 200;

/** Makes a person of a verified domain, who has not been here, a member of an org. @returns the new user's id */
export async function joinByDomain(
  deps: Pick<Deps, "clock" | "ids">,
  trx: Trx,
  person: { email: string; name: string | null; orgId: string; ip: string | null },
): Promise<string> {
  const { orgId, ip } = person;
  const id = deps.ids.uuid();
  const email = plainAddress(person.email);
  const created_at = deps.clock.now();
  const name = (person.name ?? email.split("@", 1)[0]!).replace(/\p{Cc}+/gu, " ").slice(0, MAX_NAME_LENGTH);
  await insertUser(trx, { id, email, name, password_hash: null, created_at });
  await insertMembership(trx, { org_id: orgId, user_id: id, role: "member", created_at });
  await auditAct(
    trx,
    { orgId, type: "system", id: "tracedeck", ip },
    { at: created_at, action: "member.join", target: id, detail: { by: "verified_domain", role: "member" } },
  );
  return id;
}
