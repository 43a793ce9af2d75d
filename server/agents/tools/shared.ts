import { type TSchema, Type } from "@sinclair/typebox";

export const FIND_A_TRACE =
  'Find one with list_traces: status "failed" lists the newest failures, q searches titles, errors and addresses.';

export const TraceId = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: "Id, short id, page or share link.",
});

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Text = Type.String();
export const TextOrNull = orNull(Type.String());
export const Url = Type.String({ description: "Page for a person to open." });
export const NextCursor = orNull(Type.String({ description: "Pass as cursor to read on; null at the end." }));
export const Cursor = Type.Optional(Type.String({ maxLength: 4000, description: "next_cursor of before." }));
