declare module "dynalite" {
  import type { Server } from "node:http";

  /** A DynamoDB within this process that keeps its tables in memory. */
  function dynalite(options?: { createTableMs?: number; deleteTableMs?: number }): Server;
  export = dynalite;
}
