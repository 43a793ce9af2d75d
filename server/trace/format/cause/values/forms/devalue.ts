import { isRecord } from "../json-leaves.ts";
import { allOf, type FlatForm, ofPairs, regularExpression, unfolded } from "./flat-values.ts";

/** As devalue writes values (SvelteKit, Nuxt, Astro). */
const FORM: FlatForm = {
  constants: { [-3]: "NaN", [-4]: "Infinity", [-5]: "-Infinity", [-6]: 0 },
  hasNamesByReference: false,
  tags: {
    Map: ofPairs,
    Set: allOf,
    null: ofPairs,
    RegExp: regularExpression,
    Object: ([value]) => value,
  },
};

/**
 * The value that a list stands for in devalue's form. Whoever wrote it may have wrapped values in types of its own: they are what is
 * within.
 * @param later takes what came after the list for a place in it, by its number
 */
export const devalued = (
  values: readonly unknown[],
  later: (id: unknown) => unknown = () => undefined,
): unknown =>
  unfolded(values, 0, {
    ...FORM,
    tags: { ...FORM.tags, Promise: ([part], read) => later(read(part)) },
  });

/** Whether a value is a list in devalue's form: what stands first holds nothing but references to places in it. */
export function isDevalued(value: unknown): value is unknown[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const [first] = value;
  const isReference = (part: unknown) => Number.isInteger(part) && (part as number) < value.length;
  if (Array.isArray(first))
    return typeof first[0] === "string" ? first.slice(1).every(isReference) : first.every(isReference);
  return isRecord(first) ? Object.values(first).every(isReference) : value.length === 1;
}
