import { dropMailLinks } from "../../../store/records/mail-links.ts";
import { changePassword } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError, conflict } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import { auditAct } from "../audit.ts";
import { passwordFault } from "../passwords.ts";
import { endThose, requireSession } from "../sessions/service.ts";
import { refuseBesideSso } from "../signin/home.ts";
import type { PasswordChange } from "./model.ts";
import { requirePassword, theUser } from "./service.ts";

/**
 * Sets or changes the user's password. Their other sessions end, and links that are on their way work no more.
 * @throws AppError `validation_failed`, `forbidden` for a wrong current password and where single sign-on is enforced,
 * `conflict` when it was changed at the same moment, `rate_limited`
 */
export async function setPassword(deps: Deps, actor: Actor, change: PasswordChange): Promise<void> {
  const { id, userId } = requireSession(actor);
  const user = await theUser(deps, userId);
  await refuseBesideSso(deps, deps.store.records, userId);
  await requirePassword(deps, user, change.current_password);
  const fault = passwordFault(change.new_password, user.email);
  if (fault !== null) throw new AppError("validation_failed", fault);
  const to = await deps.identityState.passwords.hash(change.new_password);
  await commit(deps, async (trx, after) => {
    if (!(await changePassword(trx, userId, { from: user.password_hash, to })))
      throw conflict("The password was changed at the same moment; try again.");
    await dropMailLinks(trx, userId);
    const ended = await endThose(deps, trx, after, userId, { exceptId: id });
    await auditAct(trx, actor, {
      ...{ at: deps.clock.now(), action: "user.password", target: userId },
      detail: { was_set: user.password_hash !== null, sessions_ended: ended },
    });
  });
}
