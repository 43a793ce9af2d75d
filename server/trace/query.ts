/**
 * A `transform` hook: parameters of a query that are whole numbers become numbers, so that their schema can be a plain
 * integer and a refusal names the parameter. Whatever else they hold is left to the schema to refuse.
 */
export function readIntegers(...names: string[]) {
  return ({ query }: { query: Record<string, unknown> }) => {
    for (const name of names) {
      const value = query[name];
      if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) query[name] = Number(value);
    }
  };
}
