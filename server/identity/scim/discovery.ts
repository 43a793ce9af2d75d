import { SCIM_ERROR } from "../../http/dialect.ts";
import { AppError, notFound } from "../../http/errors.ts";
import type { Json } from "./evaluate.ts";
import { LIST_URN, MAX_RESULTS } from "./list.ts";
import { PATCH_URN } from "./patch.ts";
import { ENTERPRISE_URN, GROUP_URN, USER_URN } from "./shape.ts";

const SCHEMA = "urn:ietf:params:scim:schemas:core:2.0";
export const SEARCH_URN = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";
/** The messages that are understood or sent; not schemas of resources. */
export const MESSAGES = { error: SCIM_ERROR, list: LIST_URN, patch: PATCH_URN, search: SEARCH_URN };

/** What this server does of SCIM (RFC 7643, section 5). */
export function serviceProviderConfig(base: string): Json {
  return {
    schemas: [`${SCHEMA}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "A key of the org with the scope scim:manage, in the Authorization header.",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

function resourceTypes(base: string): Json[] {
  const one = (name: string, endpoint: string, schema: string, schemaExtensions: Json[]) => ({
    schemas: [`${SCHEMA}:ResourceType`],
    id: name,
    name,
    endpoint,
    schema,
    schemaExtensions,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  });
  return [
    one("User", "/Users", USER_URN, [{ schema: ENTERPRISE_URN, required: false }]),
    one("Group", "/Groups", GROUP_URN, []),
  ];
}

async function schemas(base: string): Promise<Json[]> {
  const { User, Group, EnterpriseUser } = await import("scimmy/schemas");
  return [User, EnterpriseUser, Group].map(({ definition }) => {
    // The library writes its attributes out as JSON only.
    const described = JSON.parse(JSON.stringify(definition.describe())) as Json & {
      id: string;
      attributes: Json[];
    };
    return {
      ...described,
      // Passwords are not taken over from a directory.
      attributes: described.attributes.filter(({ name }) => name !== "password"),
      meta: { resourceType: "Schema", location: `${base}/Schemas/${described.id}` },
    };
  });
}

/** Which of the things that tell about the server are asked for. */
export type Discovered = "ResourceTypes" | "Schemas";

const listOf = (what: Discovered, base: string) =>
  what === "Schemas" ? schemas(base) : Promise.resolve(resourceTypes(base));

/** @throws AppError `forbidden` for a filter (RFC 7644, section 4) */
export async function listDiscovered(what: Discovered, base: string, filter?: string): Promise<Json> {
  if (filter !== undefined) throw new AppError("forbidden", `/${what} cannot be filtered.`);
  const all = await listOf(what, base);
  return {
    schemas: [LIST_URN],
    totalResults: all.length,
    startIndex: 1,
    itemsPerPage: all.length,
    Resources: all,
  };
}

/** @throws AppError `not_found` */
export async function findDiscovered(what: Discovered, base: string, id: string): Promise<Json> {
  const found = (await listOf(what, base)).find((one) => String(one.id).toLowerCase() === id.toLowerCase());
  if (!found) throw notFound(what === "Schemas" ? "This schema" : "This resource type");
  return found;
}
