import type { TSchema } from "@sinclair/typebox";

/**
 * A TypeBox schema in the form that the MCP package asks for (Standard Schema). It shows the schema and takes every value:
 * arguments are checked in `run.ts`, so that what is wrong is told in the house's words.
 */
export const standardSchema = (schema: TSchema) => ({
  "~standard": {
    version: 1 as const,
    vendor: "typebox",
    validate: (value: unknown) => ({ value }),
    jsonSchema: {
      input: () => schema as Record<string, unknown>,
      output: () => schema as Record<string, unknown>,
    },
  },
});
