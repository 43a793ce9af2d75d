import { isOrgThere } from "../../../store/records/orgs.ts";
import type { ShareVisibility } from "../../../store/records/schema.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { VIA_SHARE } from "../files/links.ts";
import { isShared } from "../model.ts";

/** What is signed for all of a trace's pages. */
const pagesPath = (traceId: string) => `/files/${traceId}/pages`;

/** Below it rendered pages and what they load are served. */
export const grantedPath = (traceId: string, grant: string) => `${pagesPath(traceId)}/${grant}`;

/** How the trace was shared when the grant was handed out, if that is how it came. */
const SHARED_AS: Record<string, ShareVisibility> = { o: "org-only", p: "public-read" };
const GRANT = /^([op]?)(\d{1,15})\.([\w-]{20,100})$/;
const MOST_KEPT = 1000;

/**
 * A grant is a signed link's expiry and signature put into the path, so that everything below it opens by the same
 * permission: a page without an origin of its own sends no cookies, and its relative addresses keep their meaning. One
 * that is not half spent is handed out again, so that browsers find what they have already loaded.
 */
export function createGrants(deps: Pick<Deps, "signedUrls" | "clock" | "config" | "store" | "traceState">) {
  const kept = deps.traceState.snapshotCaches.grants;

  return {
    /** Path below which the trace's pages open, without a slash at its end. */
    pathFor(traceId: string, viaShare: ShareVisibility | null): string {
      const key = `${traceId} ${viaShare}`;
      const now = deps.clock.now();
      const known = kept.get(key);
      if (known && known.until > now) return grantedPath(traceId, known.grant);
      const path = pagesPath(traceId);
      const params = viaShare ? { [VIA_SHARE]: viaShare } : undefined;
      const { searchParams } = new URL(deps.signedUrls.sign("http://localhost", path, params));
      const grant = `${viaShare?.[0] ?? ""}${searchParams.get("expires")}.${searchParams.get("signature")}`;
      kept.delete(key);
      kept.set(key, { grant, until: now + deps.config.settings.signed_url_seconds * 500 });
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
      return grantedPath(traceId, grant);
    },

    /**
     * The trace that a grant opens.
     * @throws AppError `signature_invalid`, also when it came by a share that has ended or got narrower; `not_found`
     */
    async open(traceId: string, grant: string): Promise<{ trace: TraceRow; viaShare: boolean }> {
      const [, letter = "", expires = "", signature = ""] = GRANT.exec(grant) ?? [];
      const sharedAs = SHARED_AS[letter];
      const url = new URL(`http://localhost${pagesPath(traceId)}`);
      if (sharedAs) url.searchParams.set(VIA_SHARE, sharedAs);
      url.searchParams.set("expires", expires);
      url.searchParams.set("signature", signature);
      deps.signedUrls.verify(url);
      const found = await findTrace(deps.store.records, traceId);
      const trace = found && (await isOrgThere(deps.store.records, found.org_id)) ? found : null;
      if (!trace) throw notFound("This trace");
      const isNarrower = sharedAs === "public-read" && trace.share_visibility !== "public-read";
      if (sharedAs && (isNarrower || !isShared(trace, deps.clock.now())))
        throw new AppError("signature_invalid", "The link has ended with the share that it came from.");
      return { trace, viaShare: sharedAs !== undefined };
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;
