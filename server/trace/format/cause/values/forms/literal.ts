import { parse } from "@babel/parser";
import { isRecord } from "../json-leaves.ts";

/** A part of a script, as its parser tells it. */
type Part = Record<string, unknown> & { type: string };
/** What names stand for within a function that is called where it stands: what is used more than once has one. */
type Names = Map<string, Named>;

interface Named {
  part: Part;
  names: Names;
  /** Fields that it is given behind that, with the names of the function. */
  fields: [name: string, part: Part][];
  own: Names;
}

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
        return Object.fromEntries(
          partsOf(part.properties).flatMap((one) =>
            nameOf(one) === "__proto__" ? [] : [[nameOf(one), inner(one.value)]],
          ),
        );
      case "UnaryExpression":
        return part.operator === "-" ? numberOrName(-Number(inner(part.argument))) : undefined;
      case "NewExpression":
        return made(nameIn(part.callee), partsOf(part.arguments).map(inner));
      case "Identifier": {
        const known = names.get(nameIn(part));
        if (!known) return NO_NUMBER.has(nameIn(part)) ? nameIn(part) : undefined;
        const value = read(known.part, known.names, depth + 1);
        if (known.fields.length === 0 || typeof value !== "object" || value === null) return value;
        const given = known.fields.map(([name, one]) => [name, read(one, known.own, depth + 1)] as const);
        return Object.assign(value, Object.fromEntries(given));
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
    const own: Names = new Map();
    const add = (name: string, one: Part | undefined, of: Names) =>
      one && own.set(name, { part: one, names: of, fields: [], own });
    const given = partsOf(part.arguments);
    for (const [nth, one] of partsOf(callee.params).entries()) add(nameIn(one), given[nth], names);
    for (const one of isPart(callee.body) ? partsOf(callee.body.body) : []) {
      if (one.type === "ReturnStatement") return read(one.argument, own, depth + 1);
      if (one.type === "VariableDeclaration")
        for (const { id, init } of partsOf(one.declarations)) add(nameIn(id), partsOf(init)[0], own);
      else addField(one, own);
    }
    throw new RangeError("no simple literal");
  };
  return read(whole, NO_NAMES, 0);
}

/** Takes up what a statement gives a field of what goes by a name: `a.price = 4`. */
function addField({ expression }: Part, names: Names): void {
  const { left, right } = (isPart(expression) ? expression : {}) as Record<string, unknown>;
  const named = isPart(left) && isPart(left.object) ? names.get(nameIn(left.object)) : undefined;
  if (!named || !isPart(left) || !isPart(right)) throw new RangeError("no simple literal");
  named.fields.push([nameOf({ type: "", key: left.property }), right]);
}

const NO_NUMBER = new Set(["NaN", "Infinity"]);

const numberOrName = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

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
