import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { AppError } from "../../http/errors.ts";
import { publicOriginOf } from "../../http/guard.ts";
import { StatusParams, StatusSummary } from "./model.ts";
import { statusPage } from "./page.ts";
import { findOpenOrg, type KnownStatus, showStatus } from "./service.ts";

/** How long an answer is given again: however many ask, the database is asked once in this time. */
const KEPT_MS = 5000;

interface Kept {
  at: number;
  summary: Promise<KnownStatus>;
}

/** The public status of orgs: as JSON and as a page, open to everybody. */
export function statusRoutes(deps: Deps) {
  /** By the slug that was asked for; of those that have no public status nothing is kept. */
  const kept = new Map<string | null, Kept>();

  /** @throws AppError `not_found` for an org that is not there, and for one whose status is not public */
  async function find(slug: string | null): Promise<KnownStatus> {
    const org = await findOpenOrg(deps, slug);
    if (!org) throw new AppError("not_found", "There is no public status here.");
    return showStatus(deps, org);
  }

  async function read(request: Request, slug: string | null): Promise<StatusSummary> {
    const now = deps.clock.now();
    let known = kept.get(slug);
    if (!known || Math.abs(now - known.at) >= KEPT_MS) {
      known = { at: now, summary: find(slug) };
      kept.set(slug, known);
      known.summary.catch(() => kept.delete(slug));
    }
    const { page, ...rest } = await known.summary;
    const path = slug === null ? "/status" : `/status/${slug}`;
    // Whoever asks may name this server differently.
    return { page: { ...page, url: `${publicOriginOf(request, deps.config)}${path}` }, ...rest };
  }

  async function answer(request: Request, slug: string | null): Promise<Response> {
    const body = JSON.stringify(await read(request, slug));
    const etag = `"${new Bun.CryptoHasher("sha256").update(body).digest("base64url")}"`;
    const headers = { etag, "cache-control": "public, max-age=30", "access-control-allow-origin": "*" };
    const known = request.headers.get("if-none-match") ?? "";
    const isKnown = known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
    if (isKnown) return new Response(null, { status: 304, headers });
    return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
  }

  const detail = {
    tags: ["watch", "status"],
    security: [],
    responses: {
      304: { description: "Nothing has changed since the answer with this ETag." },
      404: { description: "`not_found`: there is no such org, or its status is not public." },
    },
  };
  const told = "Titles of watched scenarios, their state, incidents that have not ended, and maintenance.";
  const api = new Elysia({ name: "status-api", detail: inDialect("monitoring") })
    .get("/v1/status", ({ request }) => answer(request, null), {
      response: { 200: StatusSummary },
      detail: {
        ...detail,
        operationId: "status.show",
        summary: "The public status of the first org, as Statuspage tells it",
        description: told,
      },
    })
    .get("/v1/status/:slug", ({ request, params }) => answer(request, params.slug), {
      params: StatusParams,
      response: { 200: StatusSummary },
      detail: {
        ...detail,
        operationId: "status.of",
        summary: "The public status of an org, as Statuspage tells it",
        description: `${told} An org's status is public once an admin has opened it.`,
      },
    });
  return new Elysia({ name: "status" })
    .use(api)
    .get("/status", async ({ request }) => statusPage(await read(request, null)), { detail: { hide: true } })
    .get("/status/:slug", async ({ request, params }) => statusPage(await read(request, params.slug)), {
      params: StatusParams,
      detail: { hide: true },
    });
}
