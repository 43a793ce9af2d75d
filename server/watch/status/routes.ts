import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { StatusSummary } from "./model.ts";
import { statusPage } from "./page.ts";
import { type KnownStatus, showStatus } from "./service.ts";

/** How long an answer is given again: however many ask, the database is asked once in this time. */
const KEPT_MS = 5000;

/** The public status: as JSON and as a page, open to everybody. */
export function statusRoutes(deps: Deps) {
  let kept: { at: number; summary: Promise<KnownStatus> } | null = null;

  async function read(request: Request): Promise<StatusSummary> {
    const now = deps.clock.now();
    if (!kept || Math.abs(now - kept.at) >= KEPT_MS) {
      const summary = showStatus(deps);
      kept = { at: now, summary };
      summary.catch(() => {
        kept = null;
      });
    }
    const { page, ...rest } = await kept.summary;
    // Whoever asks may name this server differently.
    return { page: { ...page, url: `${publicOriginOf(request, deps.config)}/status` }, ...rest };
  }

  async function answer(request: Request): Promise<Response> {
    const body = JSON.stringify(await read(request));
    const etag = `"${new Bun.CryptoHasher("sha256").update(body).digest("base64url")}"`;
    const headers = { etag, "cache-control": "public, max-age=30", "access-control-allow-origin": "*" };
    const known = request.headers.get("if-none-match") ?? "";
    const isKnown = known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
    if (isKnown) return new Response(null, { status: 304, headers });
    return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
  }

  const api = new Elysia({ name: "status-api", detail: inDialect("monitoring") }).get(
    "/v1/status",
    ({ request }) => answer(request),
    {
      response: { 200: StatusSummary },
      detail: {
        operationId: "status.show",
        tags: ["watch", "status"],
        security: [],
        summary: "The public status, as Statuspage tells it",
        description:
          "Of the first org, open to everybody: titles of watched scenarios, their state, and incidents that have not ended.",
        responses: {
          304: { description: "Nothing has changed since the answer with this ETag." },
        },
      },
    },
  );
  return new Elysia({ name: "status" })
    .use(api)
    .get("/status", async ({ request }) => statusPage(await read(request)), { detail: { hide: true } });
}
