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
  const { identityState, anonymousLimits } = deps;
  const email = plainAddress(given.email);
  anonymousLimits.check("sign_in", request);
  // Both are taken before the guess is compared: many at once would all pass a mere look.
  anonymousLimits.take("failed_sign_in", request);
  const giveBack = () => anonymousLimits.giveBack("failed_sign_in", request);
  try {
    identityState.accountLimits.take(email);
  } catch (error) {
    giveBack();
    throw error;
  }
  const giveBoth = () => {
    giveBack();
    identityState.accountLimits.giveBack(email);
  };
  const { user, checked, isRight, home } = await compare(deps, email, given.password).catch(
    (error: unknown) => {
      giveBoth();
      throw error;
    },
  );
  const device = deviceOf(deps, request);
  if (!isRight || !user || !home) {
    if (user && home)
      identityState.failedSignIns.note({
        ...{ userId: user.id, orgId: home, method: "password", ip: device.ip },
        at: deps.clock.now(),
      });
    throw wrong();
  }
  giveBoth();
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

async function compare({ identityState, store }: Deps, email: string, password: string) {
  const user = await findUserByEmail(store.records, email);
  const checked = user?.password_hash ?? null;
  const isRight = await identityState.passwords.isRight(checked, password);
  const home = user && (await homeOf(store.records, user));
  return { user, checked, isRight, home };
}

const wrong = () => unauthorized("The address or the password is wrong.");
