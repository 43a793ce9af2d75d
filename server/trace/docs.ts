import type { TSchema } from "@sinclair/typebox";

/**
 * An answer as the API's description shows it, for routes that write their answer as text: checking each row of a page
 * against a schema costs more than reading it.
 */
export function jsonAnswer(schema: TSchema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** What reading files of the store can run into. */
export const DAMAGED = { 503: { description: "`unavailable`: a file of the store is damaged or gone." } };

/** What a read behind a share link can answer besides what a member is answered. */
export const SHARE_SIGN_IN = {
  401: { description: "The link is for members of the org: it needs a session." },
  403: { description: "`insufficient_scope`: the link is for members of the org who may read traces." },
};

/** The same of a read that needs the trace's files. */
export const SHARE_REFUSALS = {
  ...SHARE_SIGN_IN,
  409: { description: "`not_hot`: the trace is cold." },
  ...DAMAGED,
};

/** What a file that is served with an entity tag and ranges can be answered with, besides the whole of it. */
export function fileAnswers(mediaType: string) {
  return {
    206: bytesAnswer(mediaType, "The range that was asked for."),
    304: { description: "The client's copy is still good." },
    416: { description: "The range lies outside the file." },
    ...DAMAGED,
  };
}

/** A redirect, and where to. */
export function redirectAnswer(description: string) {
  return {
    description,
    headers: { Location: { required: true, schema: { type: "string" as const, format: "uri-reference" } } },
  };
}

/** An answer that is no JSON, or, where the media type is any, that may be anything. */
export function bytesAnswer(mediaType: string, description: string) {
  const schema = mediaType === "*/*" ? {} : { type: "string" as const };
  return { description, content: { [mediaType]: { schema } } };
}

/** A JSON text as an answer, with the headers that the guards have set. */
export function jsonText(set: { headers: Record<string, unknown> }, text: string): string {
  set.headers["content-type"] = "application/json;charset=utf-8";
  return text;
}
