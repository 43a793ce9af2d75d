import { isOneTooMuch } from "../../run/one-too-much.ts";
import type { Exchange, PageShot, RunFacts } from "../../run/run-facts.ts";
import { GESTURES, GESTURES_AND_OPENINGS, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, isForeign, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { asksToSignIn } from "./sign-in.ts";

const MOST = 60;
/** How sign-ins are told where to lead afterwards. */
export const BACK =
  /^(?:next|back|continue|goto|from|to|dest(?:ination)?|return|return_?(?:to|url|path)|redirect|redirect_?(?:to|uri|url|path)|callback_?url|ref(?:errer)?)$/i;
/** What only counts where visitors come from. */
const COUNTED = /^(?:utm_\w+|gclid|fbclid|msclkid|ref|_ga)$/;

/** A sign-in that was told to lead back to a page without what had been asked of it, and led there. */
export function detectLostQuery(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const pages = lastOf(
    facts.exchanges,
    MOST,
    (one) => one.type === "document" && one.ts <= failed.to && !isForeign(one.url, facts),
  );
  return pages.flatMap((signIn, at): Finding[] => {
    const asked = pages[at - 1];
    const lost = asked && lostBetween(asked, signIn);
    if (!asked || !lost) return [];
    const from = URL.parse(asked.url)!;
    const led = pages.slice(at + 1).find(({ url }) => URL.parse(url)?.pathname === from.pathname);
    const query = led && URL.parse(led.url)!.searchParams;
    if (!led || lost.names.some((name) => query!.has(name))) return [];
    return [
      {
        kind: "redirected",
        title: `The sign-in that ${requestOf(asked, facts)} led to was given only ${quoted(lost.given, 80)} to lead back to: ${quoted(queryOf(asked, lost.names), 60)} was lost, and ${addressOf(led.url, facts)} was opened without`,
        detail: null,
        step_id: signIn.step_id,
        events: [signIn.seq, asked.seq, led.seq],
        ts: led.end ?? led.ts,
        is_new: null,
        weight: 0.9,
        about: aboutUrl(signIn.url, facts),
      },
    ];
  });
}

/** The address of the same page that the sign-in was given, and the parameters that are not in it; null where it has them all. */
function lostBetween(asked: Exchange, signIn: Exchange): { given: string; names: string[] } | null {
  const [from, to] = [URL.parse(asked.url), URL.parse(signIn.url)];
  if (!from || !to || !SIGN_IN.test(to.pathname) || from.pathname === to.pathname) return null;
  for (const [name, value] of to.searchParams) {
    const back = BACK.test(name) ? URL.parse(value, asked.url) : null;
    if (back?.origin !== from.origin || back.pathname !== from.pathname) continue;
    const names = [...from.searchParams.keys()].filter(
      (one) => !COUNTED.test(one) && !back.searchParams.has(one) && !to.searchParams.has(one),
    );
    if (names.length > 0) return { given: `${name}=${value}`, names };
  }
  return null;
}

/** A sign-in that was not told where it was called from: afterwards the page is at another address than was asked for. */
export function detectNoWayBack(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const here = page && pathOf(page.shot.url);
  if (!page || !here || SIGN_IN.test(here) || isOneTooMuch(evidence)) return [];
  const isUpTo = (one: Exchange) => one.ts <= failed.to && !isForeign(one.url, facts);
  const pages = lastOf(facts.exchanges, MOST, (one) => one.type === "document" && isUpTo(one));
  return pages.flatMap((signIn, at): Finding[] => {
    const asked = pages[at - 1];
    if (!asked || !isSentToSignIn(asked, signIn) || [...URL.parse(signIn.url)!.searchParams].some(isBack))
      return [];
    const path = pathOf(asked.url);
    const isSignedIn = facts.exchanges.some(
      (one) => one.ts > signIn.ts && asksToSignIn(one, run) && isUpTo(one),
    );
    // A server that keeps the way back itself leads there, or into what was asked for.
    const isLedBack = [...facts.pages, ...pages].some(
      ({ url, ts }) => ts > signIn.ts && pathOf(url).startsWith(path),
    );
    if (!isSignedIn || path === "/" || isLedBack) return [];
    return [
      notLedBack(
        `${requestOf(asked, facts)} was sent to ${addressOf(signIn.url, facts)} without an address to lead back to, and after the sign-in the page was at ${addressOf(page.shot.url, facts)}`,
        asked,
        signIn,
        page.shot,
        facts,
      ),
    ];
  });
}

/** The same of a page that its own script led to the sign-in. */
export function detectNoRouteBack(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const asked = facts.exchanges.findLast(
    ({ type, ts, url }) => type === "document" && ts <= failed.to && !isForeign(url, facts),
  );
  const path = asked && pathOf(asked.url);
  if (isOneTooMuch(evidence)) return [];
  if (!page || !asked || !path || path === "/" || SIGN_IN.test(path) || SIGN_IN.test(pathOf(page.shot.url)))
    return [];
  const later = facts.pages.filter((shot) => shot.ts > asked.ts && shot.page === page.shot.page);
  const signIn = later.find(({ url }) => SIGN_IN.test(pathOf(url)));
  if (!signIn || URL.parse(signIn.url)?.hash || [...URL.parse(signIn.url)!.searchParams].some(isBack))
    return [];
  const signedIn = facts.exchanges.find(
    (one) => asksToSignIn(one, run) && one.ts > signIn.ts && one.ts <= failed.to && (one.status ?? 400) < 400,
  );
  const isLedBack = later.some(({ ts, url }) => ts > signIn.ts && pathOf(url).startsWith(path));
  // Where the test itself went to the sign-in, or on from there, nothing was to lead back.
  const isOfTest = facts.steps.some(
    ({ kind, name, ts, end, seq }) =>
      kind === "agent.action" &&
      GESTURES_AND_OPENINGS.test(name) &&
      seq !== failed.step?.seq &&
      ((GESTURES.test(name) && ts > asked.ts && end <= signIn.ts) ||
        (signedIn !== undefined && ts > signedIn.ts && ts < failed.to)),
  );
  if (!signedIn || isLedBack || isOfTest) return [];
  return [
    notLedBack(
      `The page that ${requestOf(asked, facts)} brought went to ${addressOf(signIn.url, facts)} without an address to lead back to, and after the sign-in it was at ${addressOf(page.shot.url, facts)}`,
      asked,
      signIn,
      page.shot,
      facts,
    ),
  ];
}

const notLedBack = (
  title: string,
  asked: Exchange,
  signIn: Pick<Exchange, "url" | "seq" | "step_id">,
  shot: PageShot,
  facts: RunFacts,
): Finding => ({
  kind: "redirected",
  title,
  detail: null,
  step_id: signIn.step_id,
  events: [asked.seq, signIn.seq, shot.seq],
  ts: shot.ts,
  is_new: null,
  weight: 0.78,
  about: aboutUrl(signIn.url, facts),
});

/** Whether a page's answer sent the browser to the sign-in. */
function isSentToSignIn(asked: Exchange, signIn: Exchange): boolean {
  const location = asked.status !== null && asked.status >= 300 && asked.status < 400;
  return location && SIGN_IN.test(pathOf(signIn.url)) && !SIGN_IN.test(pathOf(asked.url));
}

export const isBack = ([name, value]: [string, string]): boolean => BACK.test(name) && value !== "";

const queryOf = ({ url }: Exchange, names: readonly string[]): string =>
  [...URL.parse(url)!.searchParams]
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
