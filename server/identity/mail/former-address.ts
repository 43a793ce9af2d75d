import type { Trx } from "../../../store/records/db.ts";
import type { After } from "../../jobs/commit.ts";
import { isMailAddress } from "./address.ts";
import { type MailDeps, queueMail } from "./queue.ts";

/** Tells the address that an account had until now, where mail can reach it: whoever reads it may not know of the change. */
export async function tellFormerAddress(
  deps: MailDeps,
  trx: Trx,
  after: After,
  { orgId, address }: { orgId: string; address: string },
): Promise<void> {
  if (!isMailAddress(address) || address.endsWith(".invalid")) return;
  await queueMail(deps, trx, after, {
    ...{ orgId, kind: "email", to: address, subject: "Your address in Tracedeck was changed" },
    text: "Your account in Tracedeck has another address now, and mail to this one does not sign you in any more. If this is not meant so, tell an admin of your organisation.",
  });
}
