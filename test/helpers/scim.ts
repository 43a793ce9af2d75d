import { expect } from "bun:test";
import type { TestApp } from "./app.ts";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
export const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** What a directory gets: read by tests that know what is in it. */
// biome-ignore lint/suspicious/noExplicitAny: a test says at each place what it expects there
export type Json = Record<string, any>;
export interface ScimReply {
  status: number;
  body: Json;
  headers: Headers;
}

/** Calls SCIM as a directory does. */
export type Directory = ReturnType<typeof directory>;

/** A directory with that token; requests go to `send`, which is the app's own or a socket's. */
export function directory(send: (path: string, init: RequestInit) => Promise<Response>, token: string) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimReply> {
    const response = await send(`/api/v1/scim/v2${path}`, {
      method,
      headers: {
        authorization: token && `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : {}, headers: response.headers };
  }
  const made = async (path: string, body: Json): Promise<Json> => {
    const reply = await call("POST", path, body);
    expect([reply.status, reply.body.detail]).toEqual([201, undefined]);
    return reply.body;
  };
  return {
    call,
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      call("POST", path, body, headers),
    put: (path: string, body: unknown, headers?: Record<string, string>) => call("PUT", path, body, headers),
    remove: (path: string, headers?: Record<string, string>) => call("DELETE", path, undefined, headers),
    patch: (path: string, operations: Json[], headers?: Record<string, string>) =>
      call("PATCH", path, { schemas: [PATCH], Operations: operations }, headers),
    find: (resource: "Users" | "Groups", filter: string, more = "") =>
      call("GET", `/${resource}?filter=${encodeURIComponent(filter)}${more}`),
    user: (userName: string, more: Json = {}) => made("/Users", { schemas: [USER], userName, ...more }),
    group: (displayName: string, members: string[] = [], more: Json = {}) =>
      made("/Groups", {
        schemas: [GROUP],
        displayName,
        members: members.map((value) => ({ value })),
        ...more,
      }),
  };
}

/** A token of the org that `apiKey` (or the owner's key) belongs to, as `keys create --scim` makes it. */
export async function scimToken(t: TestApp, apiKey = t.apiKey): Promise<string> {
  const response = await t.api("/v1/api-keys", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ name: "directory", scopes: ["scim:manage"] }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { key: string }).key;
}

/** Limits that no test meets. */
export const MANY_REQUESTS = { rate_limits: { reads_per_minute: 1_000_000, writes_per_minute: 1_000_000 } };
