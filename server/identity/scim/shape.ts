/** An attribute as its schema describes it (RFC 7643, section 7). */
export interface Attribute {
  name: string;
  type: "string" | "boolean" | "dateTime" | "reference" | "binary" | "integer" | "decimal" | "complex";
  multiValued: boolean;
  caseExact: boolean;
  mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  required: boolean;
  /** By name in lower case; empty unless it is complex. */
  sub: ReadonlyMap<string, Attribute>;
}

/** What resources of a type may say. */
export interface Shape {
  type: "User" | "Group";
  urn: string;
  /** By name in lower case; an extension is one by its whole URN, of the type `complex`. */
  attributes: ReadonlyMap<string, Attribute>;
}

interface Described {
  name: string;
  type: string;
  multiValued?: boolean;
  caseExact?: boolean;
  mutability?: string;
  required?: boolean;
  subAttributes?: Described[];
}

export const USER_URN = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_URN = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE_URN = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** Every resource has these, and no schema describes them (RFC 7643, section 3.1). */
const COMMON: Described[] = [
  { name: "schemas", type: "string", multiValued: true, caseExact: true, mutability: "readOnly" },
  { name: "id", type: "string", caseExact: true, mutability: "readOnly" },
  { name: "externalId", type: "string", caseExact: true },
  {
    name: "meta",
    type: "complex",
    mutability: "readOnly",
    subAttributes: [
      { name: "resourceType", type: "string", caseExact: true },
      { name: "created", type: "dateTime" },
      { name: "lastModified", type: "dateTime" },
      { name: "location", type: "reference", caseExact: true },
      { name: "version", type: "string", caseExact: true },
    ],
  },
];

let known: Promise<{ user: Shape; group: Shape }> | null = null;

/** The shapes of users and groups, by the schemas of RFC 7643. Read when the first directory comes. */
export function shapes(): Promise<{ user: Shape; group: Shape }> {
  known ??= readShapes();
  return known;
}

async function readShapes(): Promise<{ user: Shape; group: Shape }> {
  const { User, Group, EnterpriseUser } = await import("scimmy/schemas");
  // The library writes its attributes out as JSON only.
  const attributesOf = (schema: { definition: { describe(): unknown } }) =>
    (JSON.parse(JSON.stringify(schema.definition.describe())) as { attributes: Described[] }).attributes;
  const extension = { name: ENTERPRISE_URN, type: "complex", subAttributes: attributesOf(EnterpriseUser) };
  return {
    user: {
      type: "User",
      urn: USER_URN,
      attributes: byName([...COMMON, ...attributesOf(User).map(asKept), extension]),
    },
    group: {
      type: "Group",
      urn: GROUP_URN,
      attributes: byName([...COMMON, ...attributesOf(Group).map(asKept)]),
    },
  };
}

/** Groups are a user's, and are changed there alone. A group's name is what its role goes by. */
function asKept(attribute: Described): Described {
  if (attribute.name === "groups") return { ...attribute, mutability: "readOnly" };
  return attribute.name === "displayName" ? { ...attribute, caseExact: false } : attribute;
}

function byName(described: readonly Described[]): ReadonlyMap<string, Attribute> {
  return new Map(described.map((one) => [one.name.toLowerCase(), toAttribute(one)]));
}

function toAttribute(one: Described): Attribute {
  return {
    name: one.name,
    type: one.type as Attribute["type"],
    multiValued: one.multiValued ?? false,
    caseExact: one.caseExact ?? false,
    mutability: (one.mutability ?? "readWrite") as Attribute["mutability"],
    required: one.required ?? false,
    sub: byName(one.subAttributes ?? []),
  };
}

/** The attributes that a path names, from the resource inwards. */
export type Found = readonly Attribute[];

/**
 * Finds what a path names: `name.givenName`, `urn:…:User:userName`, `urn:…:enterprise:2.0:User:manager.value`. Case does not matter.
 * @returns null when no schema has it
 */
export function findAttribute(shape: Shape, path: string): Found | null {
  const low = path.toLowerCase();
  const core = `${shape.urn.toLowerCase()}:`;
  if (low.startsWith(core)) return walk(shape.attributes, low.slice(core.length));
  for (const [name, extension] of shape.attributes) {
    if (!name.includes(":")) continue;
    if (low === name) return [extension];
    if (!low.startsWith(`${name}:`)) continue;
    const inner = walk(extension.sub, low.slice(name.length + 1));
    return inner && [extension, ...inner];
  }
  return walk(shape.attributes, low);
}

/** The same within a complex attribute. */
export const findWithin = (attribute: Attribute, path: string): Found | null =>
  walk(attribute.sub, path.toLowerCase());

function walk(attributes: ReadonlyMap<string, Attribute>, path: string): Found | null {
  const found: Attribute[] = [];
  let within = attributes;
  for (const name of path.split(".")) {
    const attribute = within.get(name);
    if (!attribute) return null;
    found.push(attribute);
    within = attribute.sub;
  }
  return found;
}
