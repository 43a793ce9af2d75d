import type { Exchange } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, addressOf, isForeign, quoted, requestOf, SIGN_IN } from "../words.ts";

const MOST = 60;
/** How sign-ins are told where to lead afterwards. */
const BACK =
  /^(?:next|back|continue|goto|from|to|dest(?:ination)?|return|return_?(?:to|url|path)|redirect|redirect_?(?:to|uri|url|path)|callback_?url|ref(?:errer)?)$/i;
/** What only counts where visitors come from. */
const COUNTED = /^(?:utm_\w+|gclid|fbclid|msclkid|ref|_ga)$/;

/** A sign-in that was told to lead back to a page without what had been asked of it, and led there. */
export function detectLostQuery(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const pages = facts.exchanges
    .filter((one) => one.type === "document" && one.ts <= failed.to && !isForeign(one.url, facts))
    .slice(-MOST);
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

const queryOf = ({ url }: Exchange, names: readonly string[]): string =>
  [...URL.parse(url)!.searchParams]
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
