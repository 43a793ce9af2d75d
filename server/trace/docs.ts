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
