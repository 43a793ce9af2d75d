import { findGate, type GateRow } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";

/** @throws AppError `not_found`, `wrong_org` */
export async function requireGate(
  { store }: Pick<Deps, "store">,
  { orgId }: Pick<Actor, "orgId">,
  id: string,
): Promise<GateRow> {
  const gate = await findGate(store.records, id.toLowerCase());
  if (!gate) throw notFound("The gate");
  if (gate.org_id !== orgId) throw new AppError("wrong_org", "The gate belongs to another org.");
  return gate;
}
