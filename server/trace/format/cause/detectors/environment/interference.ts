import { isBefore, isNew } from "../../compare.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, lapse } from "../../words.ts";

/**
 * The address of the answer that an injected fault made; undefined when none failed. What was injected for is an address or, as in
 * Playwright's routes, a glob of one.
 */
function madeAt(url: string, { exchanges, normaliser }: RunFacts): string | undefined {
  const isIts = url.includes("*")
    ? isMatching(url)
    : (asked: string) => normaliser.url(asked) === normaliser.url(url);
  return exchanges.find((one) => isFailedExchange(one) && isIts(one.url))?.url;
}

/** Whether the parts between stars follow each other in an address; in one walk, since a glob may come from anybody. */
function isMatching(glob: string): (url: string) => boolean {
  const [start = "", ...parts] = glob.split(/\*+/);
  const end = parts.pop() ?? "";
  return (url) => {
    if (!url.startsWith(start) || !url.endsWith(end)) return false;
    let at = start.length;
    for (const part of parts) {
      const found = url.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= url.length - end.length;
  };
}

/** Faults and delays that were injected, and moves of the clock. */
export function detectInterference(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  return facts.interferences
    .filter(({ ts }) => isBefore(evidence, ts))
    .slice(-100)
    .map((one) => {
      const made = one.url === null ? undefined : madeAt(one.url, facts);
      const url = made ?? one.url;
      const at = url === null ? "" : ` for ${addressOf(url, facts)}`;
      const isClock = one.kind === "clock.advance";
      const isDelay = one.kind === "latency_injection";
      const title = isClock
        ? `The page's clock was moved${one.value === null ? "" : ` by ${lapse(Math.abs(one.value))}${one.value < 0 ? " back" : ""}`}`
        : isDelay
          ? `A delay${one.value === null ? "" : ` of ${lapse(one.value)}`} was injected${at}`
          : `An error${one.value === null ? "" : ` (${one.value})`} was injected${at}`;
      return {
        kind: isClock ? ("time" as const) : ("injected_fault" as const),
        title,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.ts,
        is_new: isNew(evidence, (pass) =>
          pass.facts.interferences.some(({ kind, value }) => kind === one.kind && value === one.value),
        ),
        // The answer that it made says more, and is told with it.
        weight: isClock ? 0.5 : isDelay ? 0.6 : made !== undefined ? 0.6 : 0.95,
        ...(url !== null && { about: aboutUrl(url, facts) }),
      };
    });
}
