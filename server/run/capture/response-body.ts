import type { Page, Request, Response } from "playwright-core";
import type { OpenAnswer } from "../browsers/internals.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";

/** Larger bodies are told of by their size only. */
const LARGEST_BODY = 5 * 1024 * 1024;
/** Bytes of the bodies of one page that wait to be read. */
const MOST_KEPT = 64 * 1024 * 1024;
const TEXT_TYPE = /^text\/|json|xml|javascript|ecmascript|x-www-form-urlencoded|graphql|svg/i;

/** The body of an answer as fields of its event: `media_type`, `body_size` in bytes, `body`; each only if it is known. */
export async function readBody(
  request: Request,
  response: Response,
  answer: OpenAnswer,
  { recorder, redactor }: { recorder: Recorder; redactor: Redactor },
): Promise<Record<string, unknown>> {
  const media = mediaOf(response);
  const sent = await sentSizeOf(request, response);
  if (sent > LARGEST_BODY) return { ...media, body_size: sent };
  // Redirects, pages that were left and the like have none to give.
  const bytes = await answer.body().catch(() => null);
  if (bytes === null || bytes.length === 0) return media;
  if (bytes.length > LARGEST_BODY) return { ...media, body_size: bytes.length };
  const isText = TEXT_TYPE.test(media.media_type ?? "");
  const body = isText ? recorder.body(bytes.toString("utf8")) : recorder.blob(redactor.bytes(bytes));
  return { ...media, body_size: bytes.length, body };
}

/**
 * Bytes of a body that came over the wire: the browser is asked only where the answer does not say, or says it beside an encoding by
 * which the browser goes instead (RFC 9112, section 6.3). It keeps no body that unpacks to much more than is wanted here.
 */
async function sentSizeOf(request: Request, response: Response): Promise<number> {
  const { "content-length": announced = "", "transfer-encoding": encoding } = response.headers();
  if (encoding === undefined && /^\d+$/.test(announced)) return Number(announced);
  return request.sizes().then(
    ({ responseBodySize }) => responseBodySize,
    () => 0,
  );
}

/** The media type of an answer in lower case, without parameters; no field where it names none. */
export function mediaOf(response: Response): { media_type?: string } {
  const type = (response.headers()["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "" ? {} : { media_type: type };
}

/** Bodies of answers that a page has left behind can still be read. Browsers that do not know how lose them. */
export async function keepBodies(sessionOf: PageSessions, page: Page): Promise<void> {
  try {
    const session = await sessionOf(page);
    await session.send("Network.configureDurableMessages", {
      maxTotalBufferSize: MOST_KEPT,
      maxResourceBufferSize: LARGEST_BODY,
    });
  } catch {
    // An older browser, or a page that closed at once: its recording says which bodies it lacks.
  }
}
