import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { sseResponse } from "../../http/sse.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../access.ts";
import { createDiffs } from "../diffs/service.ts";
import { bytesAnswer, DAMAGED } from "../docs.ts";
import { askChat } from "./ask.ts";
import { ChatDetail, ChatList, NewChat, NewMessage } from "./model.ts";
import { createChat, forgetChat, listChats, showChat } from "./service.ts";

const TAGS = ["trace", "chats"];
const AUTH = { scope: ["traces:read", "mcp:debug"] } as const;
const Params = Type.Object({ chat_id: Type.String({ format: "uuid" }) });

/** Questions about a trace, and their answers. */
export function chatsRoutes(deps: Deps) {
  const diffs = createDiffs(deps);
  return new Elysia({ name: "chats" })
    .use(authMacro(deps))
    .post("/v1/traces/:id/chats", ({ actor, params, body }) => createChat(deps, actor, params.id, body), {
      auth: AUTH,
      params: TraceParams,
      body: NewChat,
      response: { 200: ChatDetail },
      detail: {
        operationId: "chats.create",
        tags: TAGS,
        summary: "Begin a chat about a trace",
        description:
          "Its first message says what is known of the failure, who answers, and what may be asked.",
        responses: { 409: { description: "`conflict`: the trace has as many chats as it may." }, ...DAMAGED },
      },
    })
    .get("/v1/traces/:id/chats", ({ actor, params }) => listChats(deps, actor, params.id), {
      auth: AUTH,
      params: TraceParams,
      response: { 200: ChatList },
      detail: { operationId: "chats.list", tags: TAGS, summary: "A trace's chats, newest first" },
    })
    .get("/v1/chats/:chat_id", ({ actor, params }) => showChat(deps, actor, params.chat_id), {
      auth: AUTH,
      params: Params,
      response: { 200: ChatDetail },
      detail: { operationId: "chats.show", tags: TAGS, summary: "A chat with all its messages" },
    })
    .post(
      "/v1/chats/:chat_id/messages",
      async ({ actor, params, body, request, server, stillMay }) => {
        const source = await askChat(deps, actor, { chatId: params.chat_id, content: body.content, diffs });
        return sseResponse(deps, { request, server, stillMay }, source);
      },
      {
        auth: AUTH,
        params: Params,
        body: NewMessage,
        detail: {
          operationId: "chats.ask",
          tags: TAGS,
          summary: "Ask in a chat, and hear the answer as it comes",
          description:
            "The configured model answers, or without one the built-in analyst by rules, both from the same read-only tools that know this trace alone. Whoever closes the stream ends the answer; what was said stays in the chat.",
          responses: {
            200: bytesAnswer(
              "text/event-stream",
              'Events `token` `{ "text" }`, `tool_call` (one call as it stands in the chat), then `done` `{ "message_id", "usage": { "input_tokens", "output_tokens", "cents", "model" } }` or `error` `{ "error", "message" }`; a heartbeat every 15 s.',
            ),
            409: { description: "`conflict`: an answer is being written in this chat, or the chat is full." },
            429: {
              description:
                "`budget_exhausted`: this month's budget does not suffice; `Retry-After` says when the next begins.",
            },
            ...DAMAGED,
          },
        },
      },
    )
    .delete(
      "/v1/chats/:chat_id",
      async ({ actor, params, set }) => {
        await forgetChat(deps, actor, params.chat_id);
        set.status = 204;
      },
      {
        auth: AUTH,
        params: Params,
        detail: {
          operationId: "chats.remove",
          tags: TAGS,
          summary: "Remove a chat",
          responses: { 204: { description: "It is gone, with all that was said." } },
        },
      },
    );
}
