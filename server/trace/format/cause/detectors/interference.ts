import { isBefore, isNew } from "../compare.ts";
import type { RunFacts } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, addressOf, lapse } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

const isTold = (url: string | null, { exchanges, normaliser }: RunFacts) =>
  url !== null &&
  exchanges.some((one) => isFailedExchange(one) && normaliser.url(one.url) === normaliser.url(url));

/** Faults and delays that were injected, and moves of the clock. */
export function detectInterference(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  return facts.interferences
    .filter(({ ts }) => isBefore(evidence, ts))
    .slice(-100)
    .map((one) => {
      const at = one.url === null ? "" : ` for ${addressOf(one.url, facts)}`;
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
        weight: isClock ? 0.5 : isDelay ? 0.6 : isTold(one.url, facts) ? 0.6 : 0.95,
        ...(one.url !== null && { about: aboutUrl(one.url, facts) }),
      };
    });
}
