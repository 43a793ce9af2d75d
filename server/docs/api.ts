import type { Settings } from "../../store/settings.ts";
import { ERROR_STATUS } from "../http/errors.ts";
import { fieldsOf, inWords, type Schema, sampleOf } from "./api-schema.ts";
import { code, escapeText, table } from "./table.ts";

interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  security: Record<string, unknown>[];
  "x-scopes"?: string[];
  "x-rate-limit"?: "read" | "write" | "ingest";
}

/** The OpenAPI document, so far as the reference reads it. */
export interface ApiDescription {
  paths: Record<string, Record<string, Operation>>;
}

interface Place {
  method: string;
  path: string;
  operation: Operation;
}

const placesOf = ({ paths }: ApiDescription): Place[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

const nounOf = ({ operation }: Place): string => operation.tags.at(-1)!;

/** What the operations are about, in the order of the alphabet. */
export const nounsOf = (api: ApiDescription): string[] => [...new Set(placesOf(api).map(nounOf))].sort();

const LIMIT_KEYS = {
  read: "reads_per_minute",
  write: "writes_per_minute",
  ingest: "ingests_per_minute",
} as const;

/** The topic that holds for all operations, and leads to them. */
export function apiTopic(api: ApiDescription, limits: Settings["rate_limits"]): string {
  const places = placesOf(api);
  return [
    "# The API",
    "The viewer uses nothing but what stands here. The machine-readable description (OpenAPI 3.1) is at [/openapi.json](/openapi.json) of this server.",
    "## Credentials",
    "`tracedeck keys create` makes a key and prints it once. Send it as `Authorization: Bearer`. Each operation names the scopes that it needs; one of those named is enough. The examples below read address and key from the environment:",
    '```sh\nexport TRACEDECK_URL="http://localhost:4173"\nexport TRACEDECK_KEY="product_sk_…"\n```',
    "## Errors",
    "Every error is `{ error, message }`. [Error codes](/docs/errors) tells what each means. Any operation can also answer 421, 500 and 503.",
    "## Lists",
    "A list has `items` and `next_cursor`. Send `next_cursor` back as `cursor` for the next page; null says that there is none. Cursors stay good while things come and go.",
    "## Limits",
    "A minute's worth may be spent at once and comes back evenly. `RateLimit-Policy` and `RateLimit` of each answer tell what is left; 429 comes with `Retry-After`, in seconds. [Settings](/docs/settings#rate_limits) change them.",
    table(
      ["counts as", "requests a minute, of one organisation"],
      Object.entries(LIMIT_KEYS).map(([kind, key]) => [code(kind), String(limits[key])]),
    ),
    "A JSON body may have 1 MiB. Uploads may have as much as the [plan](/docs/settings#plans) allows.",
    "## Operations",
    ...nounsOf(api).flatMap((noun) => [
      `### ${noun}`,
      table(
        ["operation", "does"],
        places
          .filter((place) => nounOf(place) === noun)
          .map(({ method, path, operation }) => [
            `[${code(`${method} ${path}`)}](/docs/api/${noun}#${operation.operationId})`,
            escapeText(operation.summary ?? ""),
          ]),
      ),
    ]),
  ].join("\n\n");
}

/** The topic of all operations on one noun. */
export function nounTopic(api: ApiDescription, noun: string): string {
  const places = placesOf(api).filter((place) => nounOf(place) === noun);
  return [`# API: ${noun}`, ...places.flatMap(describe)].filter((part) => part !== "").join("\n\n");
}

function describe({ method, path, operation }: Place): string[] {
  const { parameters = [], responses } = operation;
  const [type, { schema }] = bodyOf(operation) ?? ["", {}];
  const statuses = Object.entries(responses).sort(([a], [b]) => Number(a) - Number(b));
  return [
    `## ${escapeText(operation.summary ?? operation.operationId)} {#${operation.operationId}}`,
    code(`${method} ${path}`),
    escapeText(operation.description ?? ""),
    whoMay(operation),
    `\`\`\`sh\n${curlOf({ method, path, operation })}\n\`\`\``,
    table(
      ["parameter", "in", "is", "for"],
      parameters.map((one) => [
        code(one.name),
        one.in + (one.required && one.in !== "path" ? ", needed" : ""),
        escapeText(inWords(one.schema)),
        escapeText(one.description ?? one.schema.description ?? ""),
      ]),
    ),
    schema ? fields(`field of the body (${type})`, schema, true) : "",
    ...statuses
      .filter(([status]) => Number(status) < 400)
      .flatMap(([status, { description = "", content = {} }]) => {
        const [kind, answer] = Object.entries(content)[0] ?? [];
        const isJson = kind === "application/json" && answer?.schema;
        return [
          `**${status}**${kind ? ` ${code(kind)}` : ""}${UNTOLD.test(description) ? "" : `: ${escapeText(description)}`}`,
          isJson ? fields("field of the answer", answer.schema!, false) : "",
        ];
      }),
    table(
      ["error", "when"],
      statuses
        .filter(([status]) => Number(status) >= 400)
        .map(([status, { description = "" }]) => [status, withCodes(status, escapeText(description))]),
    ),
  ];
}

/** What a status is called where an operation has no other word for it. */
const USUAL_CODE: Record<string, string> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "insufficient_scope",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "body_too_large",
  415: "unsupported_media_type",
  422: "validation_failed",
  429: "rate_limited",
  500: "internal",
  503: "unavailable",
};

/** The description with each error code in it leading to where it is told of. */
function withCodes(status: string, description: string): string {
  const linked = description.replaceAll(/`(\w+)`/g, (whole, name: string) =>
    Object.hasOwn(ERROR_STATUS, name) ? linkTo(name) : whole,
  );
  const usual = USUAL_CODE[status];
  return linked.includes("/docs/errors#") || !usual ? linked : `${linkTo(usual)}: ${linked}`;
}

const linkTo = (name: string): string => `[${code(name)}](/docs/errors#${name})`;

/** What the generator says of an answer that nobody described. */
const UNTOLD = /^(?:Response for status \d+)?$/;

function fields(head: string, schema: Schema, isAsked: boolean): string {
  const all = fieldsOf(schema.items ?? schema);
  return table(
    [head, "is", "for"],
    all.map(({ path, is, isNeeded, description }) => [
      code(path),
      escapeText(is + (isAsked && isNeeded ? ", needed" : "")),
      escapeText(description),
    ]),
  );
}

function whoMay(operation: Operation): string {
  if (operation.security.length === 0) return "Needs no credential.";
  const scopes = operation["x-scopes"] ?? [];
  const limit = operation["x-rate-limit"];
  const who = scopes.length === 0 ? "Any credential will do." : `Scope: ${scopes.map(code).join(" or ")}.`;
  return limit ? `${who} Counts as ${code(limit)}, see [limits](/docs/api#limits).` : who;
}

const bodyOf = ({ requestBody }: Operation): [string, { schema?: Schema }] | undefined =>
  Object.entries(requestBody?.content ?? {})[0];

/** The request as a command for a POSIX shell, with what must be sent; values to put in stand in capitals. */
export function curlOf({ method, path, operation }: Place): string {
  const { parameters = [] } = operation;
  const needed = parameters.filter(({ in: where, required }) => required && where === "query");
  const query = needed.map(
    ({ name, schema }) => `${encodeURIComponent(name)}=${encodeURIComponent(String(sampleOf(schema, name)))}`,
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${shellName(name)}`);
  const url = `"$TRACEDECK_URL${filled}${query.length > 0 ? `?${query.join("&")}` : ""}"`;
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${url}`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TRACEDECK_KEY"'] : []),
    ...parameters
      .filter(({ in: where, required }) => where === "header" && required)
      .map(({ name, schema }) => `-H '${name}: ${sampleOf(schema, name)}'`),
    ...bodyArguments(operation),
  ];
  return lines.join(" \\\n  ");
}

const shellName = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();

function bodyArguments(operation: Operation): string[] {
  const [type, { schema = {} }] = bodyOf(operation) ?? ["", {}];
  if (type === "") return [];
  if (type === "application/json")
    return [
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(sampleOf(schema)).replaceAll("'", "'\\''")}'`,
    ];
  if (type !== "multipart/form-data") return [`-H 'Content-Type: ${type}'`, "--data-binary @FILE"];
  return (schema.required ?? []).map((name) => {
    const field = schema.properties?.[name] ?? {};
    return field.format === "binary" ? `-F ${name}=@trace.zip` : `-F ${name}=${sampleOf(field, name)}`;
  });
}
