import type { TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";
import { invalid } from "./errors.ts";

/**
 * A `transform` hook: refuses a body with a field that its schema closes out (`additionalProperties: false`). Elysia would
 * drop it, and who wrote `base_url` for `baseUrl` would run against another target than was meant.
 * @throws AppError `invalid_request` naming the field, and those that there are
 */
export function refuseUnknownFields(schema: TSchema) {
  return ({ body }: { body: unknown }): void => {
    for (const { type, path, schema: closed } of Value.Errors(schema, body)) {
      if (type !== ValueErrorType.ObjectAdditionalProperties) continue;
      const name = path.slice(1).replaceAll("/", ".").slice(0, 100);
      const siblings = Object.keys((closed as { properties?: object }).properties ?? {}).join(", ");
      throw invalid(`The body's field "${name}" is not known; there are ${siblings}.`);
    }
  };
}
