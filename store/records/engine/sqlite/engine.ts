import type { Engine } from "../types.ts";
import { claim } from "./claim.ts";
import { listHints } from "./list-hints.ts";

/** What is SQLite's own, each in its file. */
export const sqliteEngine: Engine = {
  name: "sqlite",
  hints: listHints,
  claim,
};
