import type { Evidence, Finding } from "./types.ts";

/** What a finding gains for each way in which it speaks of the same things as the failure. */
const SHARED_WORD = 0.02;
const SHOWN_TEXT = 0.03;
const MOST = 0.05;

const stemOf = (word: string) => word.replace(/(?:ies|es|s|ed|ing)$/, "");

const COMMON = new Set(
  "the and for was with not that this from were page test step answered response error locator getbyrole getbytext getbylabel getbytestid name expect tobevisible tohavetext tocontaintext click button heading link text http https localhost true false failed timeout level exact status last pass instead where had have into last json html"
    .split(" ")
    .map(stemOf),
);

/**
 * Raises the weight of findings that speak of what the failed step is about, or whose words stand on the page: of two
 * failed requests the one for the orders explains why no order is shown.
 */
export function withRelevance(findings: readonly Finding[], evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const wanted = wordsOf(
    `${failed.title} ${failed.message} ${failed.expected ?? ""} ${failed.received ?? ""}`,
  );
  const shown = run.page?.elements.map(({ own }) => own.toLowerCase()).join("\n") ?? "";
  return findings.map((finding) => {
    const { kind, title, weight } = finding;
    if (kind === "assertion" || weight < 0.5) return finding;
    const shared = [...wordsOf(title)].filter((word) => wanted.has(word)).length;
    const said = /: (.{6,})$/.exec(title)?.[1]?.toLowerCase().replace(/[“”.]/g, "");
    const isShown = said !== undefined && shown.includes(said);
    const gain = Math.min(MOST, shared * SHARED_WORD + (isShown ? SHOWN_TEXT : 0));
    return gain === 0 ? finding : { ...finding, weight: Math.min(1, weight + gain) };
  });
}

/** Words of four letters and more, without the endings that make them many. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return new Set(
    words
      .slice(0, 2_000)
      .map(stemOf)
      .filter((word) => !COMMON.has(word)),
  );
}
