import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { isTracker, pathOf } from "../../words.ts";

const SRC = /^<script\b[^>]*? src="([^"]+)"/;

/** Where an address without a host is of. */
const OWN = "http://relative.invalid";

/** The path of a script that a page came without, which every pass loads by it and this run never asked for; null where there is none. */
export function scriptLeftOut(parts: readonly string[], evidence: Evidence): string | null {
  const { run, passes } = evidence;
  if (hasOtherScripts(evidence)) return null;
  const named = parts
    .flatMap((part) => SRC.exec(part)?.[1] ?? [])
    .filter((src) => !isTracker(URL.parse(src, OWN)?.href ?? src));
  const pathsOf = ({ facts }: RunEvidence) =>
    facts.exchanges.flatMap(({ type, url }) => (type === "script" ? [pathOf(url)] : []));
  const asked = pathsOf(run);
  for (const src of named) {
    // A path with an id in it is told as `<id>`.
    const path = pathOf(src.replace(/[?#].*/s, ""));
    if (path.includes("<") || asked.includes(path)) continue;
    if (passes.every((pass) => pathsOf(pass).includes(path))) return path;
  }
  return null;
}

/** Whether a script of the run is not as every pass has it: what one script did may have gone into another. */
function hasOtherScripts({ run, passes }: Evidence): boolean {
  const known = passes.map(({ facts }) => new Set(facts.exchanges.filter(isScript).map(contentOf)));
  return run.facts.exchanges.some(
    (one) => isScript(one) && one.size !== null && known.every((all) => !all.has(contentOf(one))),
  );
}

const isScript = ({ type, status, url }: Exchange): boolean =>
  type === "script" && status === 200 && !isTracker(url);

const contentOf = ({ url, size }: Exchange): string => `${pathOf(url)} ${size}`;
