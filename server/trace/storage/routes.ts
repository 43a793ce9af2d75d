import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { DiskAnswer, StorageAnswer } from "./model.ts";
import { showDisk, showStorage } from "./service.ts";

const TAGS = ["trace", "storage"];
const READ = { scope: "traces:read" } as const;

/** What is kept, what it takes, and how long the disk lasts. */
export function storageRoutes(deps: Deps) {
  return new Elysia({ name: "storage" })
    .use(authMacro(deps))
    .get("/v1/storage", ({ actor }) => showStorage(deps, actor), {
      auth: READ,
      response: { 200: StorageAnswer },
      detail: {
        operationId: "storage.show",
        tags: TAGS,
        summary: "Bytes by tier, kind and scenario, and what moves or goes when",
      },
    })
    .get("/v1/storage/disk", ({ actor }) => showDisk(deps, actor), {
      auth: READ,
      response: { 200: DiskAnswer },
      detail: { operationId: "storage.disk", tags: TAGS, summary: "What the disk has left" },
    });
}
