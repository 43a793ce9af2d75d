import { parse } from "@babel/parser";
import { isRecord } from "../json-leaves.ts";

/** A part of a script, as its parser tells it. */
type Part = Record<string, unknown> & { type: string };
/** What names stand for, where a function is called at once with their values. */
type Names = ReadonlyMap<string, { part: Part; names: Names }>;

const MOST_PARTS = 50_000;
const MAX_DEPTH = 60;
const NO_NAMES: Names = new Map();

/**
 * The data in a property of an object that a script calls a function with: `start(app, { data: […] })`.
 * @returns undefined where there is none, or where it is written with more than literals
 */
export function givenIn(script: string, property: string): unknown {
  try {
    const found = propertyIn(parse(script, { sourceType: "module" }).program as unknown as Part, property);
    return found && written(found);
  } catch {
    return undefined;
  }
}

const isPart = (value: unknown): value is Part => isRecord(value) && typeof value.type === "string";

/** The value of the first property of that name within what a call is given. */
function propertyIn(whole: Part, name: string): Part | null {
  const open: { part: Part; isGiven: boolean }[] = [{ part: whole, isGiven: false }];
  for (let seen = 0; seen < Math.min(open.length, MOST_PARTS); seen++) {
    const { part, isGiven } = open[seen]!;
    if (isGiven && part.type === "ObjectExpression") {
      const property = partsOf(part.properties).find((one) => nameOf(one) === name);
      if (property && isPart(property.value)) return property.value;
    }
    for (const [field, inner] of Object.entries(part))
      for (const one of partsOf(inner))
        open.push({ part: one, isGiven: part.type === "CallExpression" && field === "arguments" });
  }
  return null;
}

const partsOf = (value: unknown): Part[] => [value].flat().filter(isPart);

/** The value that a part is written for. */
function written(whole: Part): unknown {
  let left = MOST_PARTS;
  const read = (part: unknown, names: Names, depth: number): unknown => {
    left -= 1;
    if (!isPart(part) || left < 0 || depth > MAX_DEPTH) throw new RangeError("no simple literal");
    const inner = (one: unknown) => read(one, names, depth + 1);
    switch (part.type) {
      case "StringLiteral":
      case "NumericLiteral":
      case "BooleanLiteral":
        return part.value;
      case "NullLiteral":
        return null;
      case "BigIntLiteral":
        return String(part.value);
      case "ArrayExpression":
        return (part.elements as unknown[]).map((one) => (one === null ? null : inner(one)));
      case "ObjectExpression":
        return Object.fromEntries(partsOf(part.properties).map((one) => [nameOf(one), inner(one.value)]));
      case "UnaryExpression":
        return part.operator === "-" ? -Number(inner(part.argument)) : undefined;
      case "NewExpression":
        return made(nameIn(part.callee), partsOf(part.arguments).map(inner));
      case "Identifier": {
        const known = names.get(String(part.name));
        return known && read(known.part, known.names, depth + 1);
      }
      case "CallExpression":
        return called(part, names, depth);
      default:
        throw new RangeError("no simple literal");
    }
  };
  /** What a function gives that is called where it stands. What is called by its name gives its value later. */
  const called = (part: Part, names: Names, depth: number): unknown => {
    const { callee } = part;
    if (!isPart(callee) || !/^(?:Arrow)?Function/.test(callee.type)) return undefined;
    const given = partsOf(part.arguments);
    const own = new Map(
      partsOf(callee.params).flatMap((one, nth) => {
        const argument = given[nth];
        return argument ? [[String(one.name), { part: argument, names }] as const] : [];
      }),
    );
    const [only, ...others] = isPart(callee.body) ? partsOf(callee.body.body) : [];
    if (only?.type !== "ReturnStatement" || others.length > 0) throw new RangeError("no simple literal");
    return read(only.argument, own, depth + 1);
  };
  return read(whole, NO_NAMES, 0);
}

const nameIn = (part: unknown): string => (isPart(part) && typeof part.name === "string" ? part.name : "");

/** What a property goes by. */
const nameOf = ({ key }: Part): string =>
  isPart(key) ? String(key.type === "Identifier" ? key.name : key.value) : "";

function made(type: string, parts: unknown[]): unknown {
  const [first] = parts;
  if (type === "Date") return timeOf(first);
  if (type === "Map") return Array.isArray(first) ? Object.fromEntries(first) : {};
  if (type === "Set") return first ?? [];
  return first;
}

/** A time as JSON has it; null where it is none. */
const timeOf = (time: unknown): string | null => {
  const date = new Date(typeof time === "number" ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};
