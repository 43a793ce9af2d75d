import type { PageShot } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** A number that tells a place in a list; longer ones are ids. */
const IS_PLACE = /^\d{1,4}$/;
const MOST_PARAMETERS = 30;

/**
 * What the page's address asks otherwise than in every pass, as a clause, where an action led the page to it and but for its query it is
 * the same: a parameter that the address had before and has lost, one that goes by another name, or another place in a list.
 * Null where that is not so.
 * @param usual the address that the newest pass is at
 */
export function otherQuery({ run, passes, failed }: Evidence, here: PageShot, usual: string): string | null {
  const [now, there] = [URL.parse(here.url), URL.parse(usual)];
  if (!now || !there || now.pathname !== there.pathname || now.hash !== there.hash) return null;
  const action = actionBefore(run.facts, failed);
  const came = run.facts.pages.findLast(
    ({ ts, page, url }) => ts < here.ts && page === here.page && url !== here.url,
  );
  const before = URL.parse(came?.url ?? "");
  if (!action || !before) return null;
  const others = passes.flatMap(({ page }) => (page ? [parametersOf(URL.parse(page.shot.url))] : []));
  const [mine, theirs, earlier] = [now, there, before].map(parametersOf) as [Query, Query, Query];
  const isUsual = (name: string, value: string) => others.every((other) => other.get(name) === value);
  for (const [name, value] of theirs) {
    if (value === "" || mine.get(name) === value || !isUsual(name, value)) continue;
    const own = mine.get(name);
    if (own === undefined) {
      const [alias] =
        [...mine].find(([key, text]) => text === value && !others.some((one) => one.has(key))) ?? [];
      if (alias !== undefined)
        return `${quotedStep(action)} put ${quoted(value, 60)} into it as the parameter ${quoted(alias, 40)}, and no longer as ${quoted(name, 40)}`;
      if (earlier.get(name) === value && before.pathname === now.pathname)
        return `it lost ${quoted(`${name}=${value}`, 80)} with ${quotedStep(action)}, which it had before`;
    } else if (IS_PLACE.test(own) && IS_PLACE.test(value) && earlier.get(name) !== own)
      return `${quotedStep(action)} led to ${quoted(`${name}=${own}`, 60)}, where it leads to ${quoted(`${name}=${value}`, 60)} in the last pass`;
  }
  return null;
}

type Query = ReadonlyMap<string, string>;

const parametersOf = (url: URL | null): Query =>
  new Map([...(url?.searchParams ?? [])].slice(0, MOST_PARAMETERS));
