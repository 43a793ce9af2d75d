import { parseArgs } from "node:util";
import { BENCHES, type BenchName, type BenchOptions } from "./bench.ts";

export interface BenchArguments {
  names: BenchName[];
  options: Required<BenchOptions>;
  /** Whether the figures are written into the documentation. */
  isWriting: boolean;
}

/** Reads `[name…] [--only case] [--small] [--write]`; no name means every bench. @throws Error in words when that cannot be done */
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
  const unknown = positionals.find((name) => !all.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}". There are: ${all.join(", ")}.`);
  if (values.write && (values.small || values.only.length > 0))
    throw new Error("Only whole figures are written: --write goes with neither --small nor --only.");
  return {
    names: positionals.length > 0 ? all.filter((name) => positionals.includes(name)) : all,
    options: { only: values.only, isSmall: values.small },
    isWriting: values.write,
  };
}
