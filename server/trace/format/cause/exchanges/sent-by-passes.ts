import { oncePer } from "../once.ts";
import { exchangesOf } from "../run/keys.ts";
import type { Evidence } from "../types.ts";
import { type Said, saidBy } from "./sent.ts";

/** What each pass says of a request, each time that it sends it. */
export const sentByPasses = oncePer(({ passes }: Evidence, key: string): Map<string, Said>[][] =>
  passes.map((pass) => exchangesOf(pass.facts, key).map((one) => byPath(saidBy(one, pass, passes.length)))),
);

/** The places of all that passes send with a request. */
export const everSent = oncePer(
  (evidence: Evidence, key: string) =>
    new Set(sentByPasses(evidence, key).flatMap((sent) => sent.flatMap((parts) => [...parts.keys()]))),
);

/** Every part that passes say of a request at any time. */
export const partsOfPasses = oncePer(
  (evidence: Evidence, key: string) =>
    new Set(
      sentByPasses(evidence, key).flatMap((sent) =>
        sent.flatMap((parts) => [...parts.values()].map(({ path, value }) => partOf(path, value))),
      ),
    ),
);

export const partOf = (path: string, value: unknown): string => `${path} ${JSON.stringify(value)}`;

/** The first part of each name, in their order. */
export function byPath(said: readonly Said[]): Map<string, Said> {
  const first = new Map<string, Said>();
  for (const leaf of said) if (!first.has(leaf.path)) first.set(leaf.path, leaf);
  return first;
}
