/** Loaded before the server of a soak: on SIGUSR2 it collects and writes what is left to the file of `SOAK_HEAP`. */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";

process.on("SIGUSR2", () => {
  Bun.gc(true);
  const file = process.env.SOAK_HEAP!;
  writeFileSync(`${file}.part`, JSON.stringify(heapStats()));
  renameSync(`${file}.part`, file);
});
