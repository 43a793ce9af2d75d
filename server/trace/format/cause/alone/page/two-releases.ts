import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, isForeign, quoted } from "../../words.ts";

const MOST = 200;
/** What a file's address is told apart by from one release to the next. */
const VERSION = /^(?:v|ver|version|rev|build|release)$/i;

/** One script of the product in two versions in one run: pages of two releases, which may not understand each other. */
export function detectTwoReleases(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const scripts = answersBefore(
    evidence,
    MOST,
    ({ type, url }) => type === "script" && !isForeign(url, facts),
  );
  const first = new Map<string, { one: Exchange; version: string }>();
  for (const one of scripts) {
    const version = versionOf(one);
    if (version === null) continue;
    const file = one.url.replace(/[?#].*/s, "");
    const known = first.get(file);
    if (!known) first.set(file, { one, version });
    else if (known.version !== version)
      return [
        {
          kind: "script_failed",
          title: `${addressOf(file, facts)} was loaded in two versions: ${quoted(known.version, 40)} first and ${quoted(version, 40)} later, so that pages of two releases are open`,
          detail: null,
          step_id: one.step_id,
          events: [known.one.seq, one.seq],
          ts: evidence.failed.from,
          is_new: null,
          weight: 0.94,
          file: "script",
        },
      ];
  }
  return [];
}

/** The version that an address names; null where it names none, or a moment. */
function versionOf({ url }: Exchange): string | null {
  const found = [...(URL.parse(url)?.searchParams ?? [])].find(([name]) => VERSION.test(name));
  return found && !/^1\d{9,12}$/.test(found[1]) ? found.join("=") : null;
}
