import type { Json } from "./evaluate.ts";
import { type Found, findAttribute, type Shape } from "./shape.ts";

/** Which attributes an answer has (RFC 7644, section 3.9). */
export interface Projection {
  attributes: readonly Found[] | null;
  excluded: readonly Found[];
}

/** These are in every answer. */
const ALWAYS = new Set(["schemas", "id"]);

/** What a request asks for; names that no schema has ask for nothing. `attributes` counts when both are there. */
export function readProjection(
  shape: Shape,
  asked: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Projection {
  const read = (names: string | undefined) =>
    (names ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .flatMap((name) => {
        const found = findAttribute(shape, name);
        return found ? [found] : [];
      });
  const isAsked = asked.attributes !== undefined && asked.attributes.trim() !== "";
  return {
    attributes: isAsked ? read(asked.attributes) : null,
    excluded: isAsked ? [] : read(asked.excludedAttributes),
  };
}

/** Whether an answer has anything of an attribute of the resource. */
export function hasAttribute({ attributes, excluded }: Projection, name: string): boolean {
  if (attributes) return attributes.some(([first]) => first!.name === name);
  return !excluded.some((found) => found.length === 1 && found[0]!.name === name);
}

/** The part of a resource that was asked for. */
export function project(resource: Json, projection: Projection): Json {
  const { attributes, excluded } = projection;
  if (!attributes && excluded.length === 0) return resource;
  const result: Json = {};
  if (attributes) {
    for (const name of ALWAYS) if (resource[name] !== undefined) result[name] = resource[name];
    for (const found of attributes)
      copyInto(
        result,
        resource,
        found.map(({ name }) => name),
      );
    return result;
  }
  const gone = excluded.map((found) => found.map(({ name }) => name)).filter(([name]) => !ALWAYS.has(name!));
  for (const [name, value] of Object.entries(resource)) {
    const names = gone.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (names.some((rest) => rest.length === 0)) continue;
    result[name] = names.reduce((kept, rest) => without(kept, rest), value);
  }
  return result;
}

function copyInto(result: Json, resource: Json, [name = "", ...rest]: string[]): void {
  const value = resource[name];
  if (value === undefined) return;
  if (rest.length === 0) result[name] = value;
  else if (Array.isArray(value)) {
    const known = result[name] as Json[] | undefined;
    result[name] = value.map((one, at) => {
      const part = { ...known?.[at] };
      copyInto(part, one as Json, rest);
      return part;
    });
  } else {
    const part = { ...(result[name] as Json | undefined) };
    copyInto(part, value as Json, rest);
    result[name] = part;
  }
}

function without(value: unknown, [name = "", ...rest]: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, [name, ...rest]));
  if (typeof value !== "object" || value === null) return value;
  const { [name]: inner, ...others } = value as Json;
  return rest.length === 0 || inner === undefined ? others : { ...others, [name]: without(inner, rest) };
}
