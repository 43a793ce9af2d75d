import { cookieIn, credentialsOf } from "../../exchanges/sent-credentials.ts";
import { exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { quoted } from "../../words.ts";

const MOST = 50;

/** The cookie of a refused request that an earlier answer to the same had set to that very value, as a clause: who gave it does not know it; empty where there is none. */
export function setByItself(one: Exchange, key: string, facts: RunFacts): string {
  const earlier = exchangesOf(facts, key)
    .filter(({ end }) => end !== null && end <= one.ts)
    .slice(-MOST);
  const cookie = [...credentialsOf(one)].find((name) => {
    const value = cookieIn(one, name);
    const last = earlier.findLast((other) => setIn(other, name) !== undefined);
    return value !== undefined && value !== "" && last && setIn(last, name) === value;
  });
  return cookie === undefined
    ? ""
    : `, though it carried the cookie ${quoted(cookie, 60)} as its own answer before had set it`;
}

/** The value to which an answer sets a cookie. */
function setIn({ headers }: Exchange, cookie: string): string | undefined {
  const set = headers.find(({ name, value }) => name === "set-cookie" && value.startsWith(`${cookie}=`));
  return set?.value.slice(cookie.length + 1).replace(/;.*/s, "");
}
