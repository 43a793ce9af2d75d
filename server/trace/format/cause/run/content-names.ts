import { OF_CONTENT } from "../../diff/normalise.ts";
import type { RunFacts } from "./run-facts.ts";

const MOST = 300;
const MOST_FILES = 2_000;
/** What may be made of a file's content: `till-azmpfavs.js`, `app.3qwb1ib6.css`, `index-BqBnJzn-.js`. */
const NAMED = /^(.*?[-.])([\w-]{8}|\w{9,12})(\.(?:m?js|css))$/;

/**
 * Words by which files are called after their content, though no figure in them tells so: of one file, another run has another
 * such word that does.
 */
export function contentNames(runs: readonly RunFacts[]): string[] {
  const files = new Map<string, Set<string>>();
  const known = new Set<string>();
  for (const { exchanges, host } of runs)
    for (const { url, type } of exchanges.slice(-MOST_FILES)) {
      if (type !== "script" && type !== "stylesheet") continue;
      const parsed = URL.parse(url);
      const [, before, word, ending] =
        (parsed && parsed.hostname === host && NAMED.exec(parsed.pathname)) || [];
      if (word === undefined) continue;
      const file = `${before}${ending}`;
      files.set(file, (files.get(file) ?? new Set()).add(word));
      if (OF_CONTENT.test(parsed!.pathname)) known.add(file);
    }
  return [...known].flatMap((file) => [...files.get(file)!]).slice(0, MOST);
}
