import { type StructuredPatchHunk, structuredPatch } from "diff";
import { exchangeKey } from "../../trace/format/cause/run/keys.ts";
import type { Exchange } from "../../trace/format/cause/run/run-facts.ts";
import { isForeign } from "../../trace/format/cause/words.ts";
import type { Failure } from "./types.ts";

/** A script of the site that was served otherwise in the last pass. */
export interface ChangedScript {
  /** As a source diff names it: the address's path without its first slash. */
  path: string;
  now: Exchange;
  text: string;
  /** Of the last pass. */
  old: Exchange;
  before: string;
  /** From what is served now to what was served then. */
  hunks: StructuredPatchHunk[];
}

/** What people wrote has short lines; of what a bundler made no patch can be read. */
const LONGEST_LINE = 400;
const DIFF_TIMEOUT_MS = 2000;

/** The scripts that both runs were served as people wrote them, and that differ. */
export function changedScripts({ run, pass }: Pick<Failure, "run" | "pass">): ChangedScript[] {
  if (!pass) return [];
  const known = new Map(
    pass.evidence.facts.exchanges.map((one) => [exchangeKey(one, pass.evidence.facts), one]),
  );
  const found = new Map<string, ChangedScript>();
  for (const now of run.evidence.facts.exchanges) {
    const old = known.get(exchangeKey(now, run.evidence.facts));
    const [text, before] = [run.evidence.bodies.get(now.seq), old && pass.evidence.bodies.get(old.seq)];
    const path = URL.parse(now.url)?.pathname.slice(1) ?? "";
    if (now.type !== "script" || !old || isForeign(now.url, run.evidence.facts) || path === "") continue;
    if (text === undefined || before === undefined || text === before || found.has(path)) continue;
    if ([text, before].some((one) => one.split("\n").some((line) => line.length > LONGEST_LINE))) continue;
    const patch = structuredPatch(path, path, text, before, "", "", { context: 3, timeout: DIFF_TIMEOUT_MS });
    if (patch) found.set(path, { path, now, text, old, before, hunks: patch.hunks });
  }
  return [...found.values()];
}
