import type { TSchema } from "@sinclair/typebox";

/** A length that nobody comes near who means well: checked all the same, but not worth its place in every agent's context. */
const FAR_LENGTH = 1_000;

/**
 * A TypeBox schema in the form that the MCP package asks for (Standard Schema). It shows the schema and takes every value:
 * arguments are checked in `run.ts`, so that what is wrong is told in the house's words.
 */
export function standardSchema(schema: TSchema) {
  const shown = withoutFarLengths(schema);
  return {
    "~standard": {
      version: 1 as const,
      vendor: "typebox",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => shown, output: () => shown },
    },
  };
}

function withoutFarLengths(schema: TSchema): Record<string, unknown> {
  const isFar = (name: string, value: unknown) =>
    (name === "maxLength" && Number(value) >= FAR_LENGTH) || (name === "minLength" && value === 1);
  return JSON.parse(
    JSON.stringify(schema, (name, value) => (isFar(name, value) ? undefined : value)),
  ) as Record<string, unknown>;
}
