import { Type } from "@sinclair/typebox";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { requireOnline } from "../access.ts";
import { AS, type LinkOptions, PAGE, signBlob } from "../files/links.ts";

/** Query of what leads to a blob's bytes. */
export const BlobQuery = Type.Object({
  [AS]: Type.Optional(
    Type.Literal(PAGE, {
      description: "HTML comes as a page to be shown in a frame, without what reaches for other hosts",
    }),
  ),
});

/**
 * A fresh signed link to a blob that a trace names.
 * @param hash lowercase hex of its SHA-256
 * @throws AppError `invalid_request` for another form, `not_found` also for a blob that only other traces name,
 * `not_hot` for a cold trace, but not for its final screenshot
 */
export async function blobLink(
  deps: Pick<Deps, "store" | "signedUrls">,
  trace: TraceRow,
  hash: string,
  link: { base: string } & LinkOptions,
): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw invalid('The path parameter "sha256" must be 64 characters of lowercase hex, without a prefix.');
  if (hash !== trace.final_screenshot) requireOnline(trace);
  const blob = await findTraceBlob(deps.store.records, trace.id, hash);
  if (!blob) throw notFound("A blob of this hash in this trace");
  return signBlob(deps, link.base, { traceId: trace.id, hash }, link);
}

/**
 * 302 to a signed link. A browser may keep it for half of the link's life, so that pictures that are looked at again cost
 * no request; one that came by a share is asked for anew, since it ends with the share.
 */
export function redirectToBlob(
  deps: Pick<Deps, "config">,
  location: string,
  options: { viaShare?: boolean } = {},
): Response {
  const seconds = Math.floor(deps.config.settings.signed_url_seconds / 2);
  const cacheControl = options.viaShare ? "no-store" : `private, max-age=${seconds}`;
  return new Response(null, { status: 302, headers: { location, "cache-control": cacheControl } });
}
