import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { bytesAnswer, fileAnswers } from "../docs.ts";
import { serveSigned } from "./service.ts";

/** Files of traces behind signed links: the link itself is the permission. */
export function filesRoutes(deps: Deps) {
  return new Elysia({ name: "files" }).get(
    "/files/:id/:kind/:name",
    ({ params, request }) => serveSigned(deps, request, params),
    {
      params: Type.Object({
        id: Type.String({ format: "uuid" }),
        kind: Type.String({ maxLength: 20 }),
        name: Type.String({ maxLength: 100 }),
      }),
      detail: {
        operationId: "files.read",
        tags: ["trace", "files"],
        summary: "A file behind a signed link",
        responses: {
          200: bytesAnswer("*/*", "The file in its own media type; ranges and entity tags are understood."),
          403: { description: "`signature_invalid`: the link was altered or has expired." },
          409: { description: "`not_hot`: the trace is cold: restore it first." },
          ...fileAnswers("*/*"),
        },
      },
    },
  );
}
