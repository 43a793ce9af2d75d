import { CHANGING, requestBodyOf, SECRET } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { lastOf } from "../run/select.ts";
import type { Finding } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { pathOf, SIGN_IN } from "../words.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, type Change, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** Who signs in with another name than in the passes reads what is that one's. */
const readAsAnother: Rule = (finding, scene) => {
  const given = signedInWith(scene, "given")?.given;
  if (!given) return null;
  const isRead = (one: Finding) => isOfRead(one) && one.is_new === true && isBehind(given, one);
  if (finding !== given) return isRead(finding) ? explained : null;
  const read = scene.news.find((one) => isRead(one) && one.weight >= SURE);
  return read ? all(because(read), atLeast(0.975)) : null;
};

/** Who signs in with another name than in the passes is refused what that one may not do: the test's own change is told first, where it stands before that. */
const refusedAnother: Rule = (finding, scene) => {
  const signedIn = signedInWith(scene, "given");
  const refused = signedIn && scene.news.find((one) => isRefusal(one) && isBehind(signedIn.given, one));
  if (!refused) return null;
  const { given, sentAt } = signedIn;
  const change = scene.news.find(
    ({ isOfTest, changedFrom }) => isOfTest && (changedFrom ?? Number.POSITIVE_INFINITY) <= sentAt,
  );
  const cause = change ?? given;
  if (finding === cause) return all(onceBecause(refused), atLeast(0.975));
  return finding === refused || finding === given ? explained : null;
};

/** A changed test may have been told with it already. */
const onceBecause =
  (refused: Finding): Change =>
  (told) =>
    told.title.includes(refused.title) ? told : because(refused)(told);

const isRefusal = ({ kind, status, is_new, isOwn }: Finding): boolean =>
  kind === "request_failed" && is_new === true && isOwn !== false && (status === 401 || status === 403);

/** What the test gave otherwise and was then sent beside a secret to sign in with, and when. */
const signedInWith = oncePer(
  ({ news, evidence: { run } }: Scene, _: "given"): { given: Finding; sentAt: number } | undefined => {
    const names = news.filter(
      ({ isGivenOtherwise, said, weight, is_new }) =>
        isGivenOtherwise && said !== undefined && is_new === true && weight >= SURE,
    );
    if (names.length === 0) return undefined;
    const sent = lastOf(
      run.facts.exchanges,
      MOST_SIGN_INS,
      (one) => CHANGING.has(one.method) && SIGN_IN.test(pathOf(one.url)),
    )
      .map((one) => ({ ts: one.ts, leaves: leavesOf(requestBodyOf(one, run)) }))
      .filter(({ leaves }) => leaves.some(({ path }) => SECRET.test(path)));
    for (const given of names) {
      const request = sent.find(({ leaves }) => leaves.some(({ value }) => value === given.said));
      if (request) return { given, sentAt: request.ts };
    }
    return undefined;
  },
);

const MOST_SIGN_INS = 10;
/** Below it a value may be made for each run. */
const SURE = 0.8;

/** Rules of who signs in as another one than in the passes. */
export const SIGNED_IN: readonly Rule[] = [readAsAnother, refusedAnother];
