import { findUser } from "../../../store/records/identity.ts";
import { findUserByEmail } from "../../../store/records/users.ts";
import type { Deps } from "../../deps.ts";
import { unauthorized } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import { plainAddress } from "../mail/address.ts";
import { deviceOf, openSession } from "../sessions/open.ts";
import { homeOf, refuseBesideSso } from "./home.ts";

/**
 * Opens a session for an address and its password. Whether the address is unknown, has no password or another one makes no
 * difference: a hash is compared each time, and the answer is the same.
 * @returns the token for the cookie
 * @throws AppError `unauthorized`, `rate_limited`, or `forbidden` where single sign-on is enforced
 */
export async function signInByPassword(
  deps: Deps,
  given: { email: string; password: string },
  request: Request,
): Promise<string> {
  const { identityState, anonymousLimits, store } = deps;
  const email = plainAddress(given.email);
  anonymousLimits.check("sign_in", request);
  anonymousLimits.check("failed_sign_in", request);
  identityState.accountLimits.check(email);
  const user = await findUserByEmail(store.records, email);
  const checked = user?.password_hash ?? null;
  const isRight = await identityState.passwords.isRight(checked, given.password);
  const device = deviceOf(deps, request);
  const home = user && (await homeOf(store.records, user));
  if (!isRight || !user || !home) {
    if (user && home)
      identityState.failedSignIns.note({
        ...{ userId: user.id, orgId: home, method: "password", ip: device.ip },
        at: deps.clock.now(),
      });
    identityState.accountLimits.count(email);
    anonymousLimits.take("failed_sign_in", request);
    throw wrong();
  }
  const token = await commit(deps, async (trx, after) => {
    // What was compared may have changed since.
    const now = await findUser(trx, user.id);
    const orgId = now && (await homeOf(trx, now));
    if (!orgId || now.password_hash !== checked) throw wrong();
    await refuseBesideSso(deps, trx, user.id);
    return openSession(deps, trx, after, { userId: user.id, orgId, method: "password", device });
  });
  anonymousLimits.count("sign_in", request);
  return token;
}

const wrong = () => unauthorized("The address or the password is wrong.");
