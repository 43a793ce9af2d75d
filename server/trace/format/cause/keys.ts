import { headline } from "../error-text.ts";
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

/** Whether a line was said in the page: what the test printed and what the runner says is no console. */
export function isConsole({ source }: Pick<Line, "source">): boolean {
  return source !== "stdout" && source !== "stderr" && source !== "runner";
}

/** What a line is called across runs. */
export function lineKey({ text, source }: Line, { normaliser }: Named): string {
  return `${source === "page" ? "page " : ""}${normaliser.text(headline(text, 500))}`;
}
