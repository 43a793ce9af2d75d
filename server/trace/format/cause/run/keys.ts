import { headline } from "../../error-text.ts";
import type { Exchange, Line, RunFacts } from "./run-facts.ts";

type Named = Pick<RunFacts, "normaliser">;

/** What a request is called across runs. */
export function exchangeKey({ method, url, operation }: Exchange, { normaliser }: Named): string {
  return `${method} ${normaliser.url(url)}${operation === null ? "" : ` ${operation}`}`;
}

/** The exchanges of a run with the request that another run calls so. */
export function exchangesOf({ byKey }: Pick<RunFacts, "byKey">, key: string): Exchange[] {
  return byKey.get(key) ?? [];
}

/**
 * What another run did in the turn of an exchange among those of its name: a test may ask the same several times, and each time for
 * another end. Its last one where it did so less often, and undefined where it never did.
 * @param counts which exchanges take a turn; `one` is among them
 */
export function ofSameTurn(
  one: Exchange,
  facts: RunFacts,
  other: RunFacts,
  counts: (exchange: Exchange) => boolean = () => true,
): Exchange | undefined {
  const key = exchangeKey(one, facts);
  const theirs = exchangesOf(other, key).filter(counts);
  return theirs[exchangesOf(facts, key).filter(counts).indexOf(one)] ?? theirs.at(-1);
}

/** Whether a line was said in the page: what the test printed and what the runner says is no console. */
export function isConsole({ source }: Pick<Line, "source">): boolean {
  return source !== "stdout" && source !== "stderr" && source !== "runner";
}

/** What a line is called across runs. */
export function lineKey({ text, source }: Line, { normaliser }: Named): string {
  return `${source === "page" ? "page " : ""}${normaliser.text(headline(text, 500))}`;
}
