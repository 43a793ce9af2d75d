import type { Db } from "../../../store/records/db.ts";
import { findTestRun, findTestRunByShortId, type TestRunRow } from "../../../store/records/test-runs.ts";
import { AppError, notFound } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORT_ID = /^[1-9A-HJ-NP-Za-km-z]{6,32}$/;

/**
 * The run of that id or short id, if the actor may know of it.
 * @throws AppError `not_found`, or `wrong_org` for a run of another org
 */
export async function requireTestRun(
  deps: { store: { records: Db } },
  actor: Pick<Actor, "orgId">,
  id: string,
): Promise<TestRunRow> {
  const { records } = deps.store;
  const run = UUID.test(id)
    ? await findTestRun(records, id.toLowerCase())
    : SHORT_ID.test(id)
      ? await findTestRunByShortId(records, id)
      : null;
  if (!run) throw notFound("This test run");
  if (run.org_id !== actor.orgId)
    throw new AppError(
      "wrong_org",
      "This test run belongs to an org that the credential does not belong to.",
    );
  return run;
}
