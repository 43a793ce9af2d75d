import { SEEDS } from "../../fixtures/failures/all.ts";
import type { Seed } from "../../fixtures/failures/seed.ts";
import type { BenchOptions } from "./bench.ts";

/** The seeds that are named by id or class; at a small size the first of them. */
export function chosenSeeds({ only = [], isSmall = false }: BenchOptions): Seed[] {
  const named = SEEDS.filter(
    ({ id, class: of }) => only.length === 0 || only.includes(id) || only.includes(of),
  );
  if (named.length === 0) throw new Error(`There is no seeded failure ${only.join(", ")}.`);
  return isSmall ? named.slice(0, 1) : named;
}
