import type { TSchema } from "@sinclair/typebox";

/**
 * An answer as the API's description shows it, for routes that write their answer as text: checking each row of a page
 * against a schema costs more than reading it.
 */
export function jsonAnswer(schema: TSchema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** An answer that is no JSON. */
export function bytesAnswer(mediaType: string, description: string) {
  return { description, content: { [mediaType]: { schema: { type: "string" as const } } } };
}

/** A JSON text as an answer, with the headers that the guards have set. */
export function jsonText(set: { headers: Record<string, unknown> }, text: string): string {
  set.headers["content-type"] = "application/json;charset=utf-8";
  return text;
}
