import { GESTURES_AND_OPENINGS } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, isForeign, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isBack } from "./return-address.ts";
import { asksToSignIn } from "./sign-in.ts";

/** A sign-in page that was told in its own address where to lead back to, and that led elsewhere once somebody had signed in. */
export function detectWayBackIgnored({ run, failed }: Evidence): Finding[] {
  const { facts, page } = run;
  if (!page || SIGN_IN.test(pathOf(page.shot.url))) return [];
  const signIn = facts.pages.findLast(
    (shot) => shot.page === page.shot.page && shot.ts < page.shot.ts && SIGN_IN.test(pathOf(shot.url)),
  );
  const back = signIn && wayBackOf(signIn.url);
  if (!signIn || !back || pathOf(page.shot.url).startsWith(back.path)) return [];
  const signedIn = facts.exchanges.findLast(
    (one) =>
      asksToSignIn(one, run) &&
      !isForeign(one.url, facts) &&
      (one.status ?? 400) < 400 &&
      // The picture of the form may be taken as it is sent.
      one.ts >= signIn.ts - AT_ONCE_MS &&
      one.ts <= page.shot.ts,
  );
  if (!signedIn) return [];
  const isLedBack = [...facts.pages, ...facts.exchanges.filter(({ type }) => type === "document")].some(
    ({ url, ts }) => ts > signedIn.ts && pathOf(url).startsWith(back.path),
  );
  // Where the test itself went on from there, nothing was to lead back.
  const isOfTest = facts.steps.some(
    ({ kind, name, ts, seq }) =>
      kind === "agent.action" &&
      GESTURES_AND_OPENINGS.test(name) &&
      seq !== failed.step?.seq &&
      ts > signedIn.ts &&
      ts < failed.to,
  );
  if (isLedBack || isOfTest) return [];
  const request = requestOf(signedIn, facts);
  const isAway = signedIn.status! >= 300;
  const outcome = isAway
    ? `${request} was answered with ${signedIn.status} and led to`
    : `after ${request} the page went to`;
  return [
    {
      kind: "redirected",
      title: `The sign-in at ${addressOf(signIn.url.replace(/[?#].*/s, ""), facts)} was to lead on to ${quoted(`${back.name}=${back.value}`, 80)}, and ${outcome} ${addressOf(page.shot.url, facts)} instead`,
      detail: null,
      step_id: signedIn.step_id,
      events: [signedIn.seq, signIn.seq, page.shot.seq],
      ts: page.shot.ts,
      is_new: null,
      weight: 0.8,
      about: aboutUrl(signIn.url, facts),
    },
  ];
}

const AT_ONCE_MS = 500;

/** Where the address of a sign-in leads back to: a path of the same site that is more than its start. */
function wayBackOf(address: string): { name: string; value: string; path: string } | null {
  const url = URL.parse(address);
  for (const [name, value] of url?.searchParams ?? []) {
    const to = isBack([name, value]) ? URL.parse(value, address) : null;
    if (to && to.origin === url!.origin && to.pathname !== "/" && !SIGN_IN.test(to.pathname))
      return { name, value, path: to.pathname };
  }
  return null;
}
