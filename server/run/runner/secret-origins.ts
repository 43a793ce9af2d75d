import { RunnerError } from "../errors.ts";
import type { Text } from "../language/ast.ts";
import type { ValueSources, Values } from "./values.ts";

/** A secret that may go to some origins only. */
export interface BoundSecret {
  name: string;
  /** As browsers write them. */
  origins: readonly string[];
}

export interface SecretRules {
  /**
   * The bound secrets that texts hold: named there or in the variables they name, or standing in them by whatever way they
   * came there.
   */
  boundIn(texts: readonly Text[]): BoundSecret[];
}

/** A secret shorter than this stands in half of all texts by chance: it has to be named, or to be the whole text. */
const SHORTEST = 4;

export function createSecretRules(sources: Omit<ValueSources, "clones">, values: Values): SecretRules {
  const bound = Object.entries(sources.secretOrigins ?? {}).map(([name, origins]) => ({
    name,
    origins,
    value: sources.secrets[name] ?? "",
  }));
  return {
    boundIn(texts) {
      if (bound.length === 0) return [];
      const named = new Set(texts.flatMap(values.secretsIn));
      const read = texts.map(values.resolve);
      return bound.filter(
        ({ name, value }) => named.has(name) || (value !== "" && read.some((text) => holds(text, value))),
      );
    },
  };
}

/** As it is, within JSON, within an address or a form. */
function holds(text: string, secret: string): boolean {
  if (secret.length < SHORTEST) return text === secret;
  return (
    text.includes(secret) ||
    text.includes(JSON.stringify(secret).slice(1, -1)) ||
    decoded(text).includes(secret) ||
    decoded(text.replaceAll("+", "%2B")).includes(secret)
  );
}

/** `application/x-www-form-urlencoded` (URL Standard), which takes any text. */
const decoded = (text: string): string =>
  new URLSearchParams(`x=${text.replaceAll("&", "%26")}`).get("x") ?? "";

/**
 * Refuses to send what holds a secret to where it may not go. What the target does with it then is its own affair: a redirect
 * that repeats it, or that takes the part of the address behind `#` along, is not followed here.
 * @throws RunnerError `secret_not_allowed`
 */
export function guardSent(
  { secretRules }: { secretRules: SecretRules },
  url: string,
  texts: readonly Text[],
): void {
  judge(secretRules.boundIn([url, ...texts]), webOriginOf(url));
}

/**
 * @param origin null for one that is none: `about:blank`, `data:`, a sandbox
 * @throws RunnerError `secret_not_allowed`
 */
export function judge(bound: readonly BoundSecret[], origin: string | null): void {
  const refused = bound.find(({ origins }) => origin === null || !origins.includes(origin));
  if (!refused) return;
  const to = origin ?? "a page that has no origin of its own (about:blank, data:, a sandbox)";
  throw new RunnerError(
    "secret_not_allowed",
    `The secret ${refused.name} may not go to ${to}; it may go to ${refused.origins.join(", ")}.`,
  );
}

function webOriginOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}
