import { parseArgs } from "node:util";
import { BENCHES, type BenchName, type BenchOptions } from "./bench.ts";

/** Stands for every bench. */
const ALL = "all";

export interface BenchArguments {
  /** None where nothing was asked for. */
  names: BenchName[];
  options: Required<BenchOptions>;
  /** Whether the figures are written into the documentation. */
  isWriting: boolean;
}

/** Reads `[name…|all] [--only case] [--small] [--write]`. @throws Error in words when that cannot be done */
export function readArguments(args: readonly string[]): BenchArguments {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      small: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const all = Object.keys(BENCHES) as BenchName[];
  const unknown = positionals.find((name) => name !== ALL && !all.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}". There are: ${all.join(", ")}.`);
  // Whoever says how to measure has forgotten what.
  if (positionals.length === 0 && args.length > 0)
    throw new Error(`Which bench? Name some, or say "${ALL}". There are: ${all.join(", ")}.`);
  if (values.write && (values.small || values.only.length > 0))
    throw new Error("Only whole figures are written: --write goes with neither --small nor --only.");
  return {
    names: positionals.includes(ALL) ? all : all.filter((name) => positionals.includes(name)),
    options: { only: values.only, isSmall: values.small },
    isWriting: values.write,
  };
}
