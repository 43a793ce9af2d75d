import { BENCHES, type Bench } from "./bench.ts";
import { alignedRows } from "./figures.ts";

/** What there is to measure, one line each, and how it is asked for. */
export function benchesInWords(): string {
  const rows = Object.entries<Bench>(BENCHES).map(([name, { about }]) => [`  ${name}`, about]);
  return [
    ...alignedRows(rows).map((row) => row.join("  ").trimEnd()),
    "",
    "bun run bench NAME…   measures these",
    "bun run bench all     measures every one, which takes more than ten minutes",
  ].join("\n");
}
