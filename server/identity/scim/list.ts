import type { ScimCondition } from "../../../store/records/scim-conditions.ts";
import type { ScimOrder, ScimPage } from "../../../store/records/scim-users.ts";
import { refused } from "./errors.ts";
import { compileFilter, fold, type Json, valuesAt, withValue } from "./evaluate.ts";
import { type Filter, parseFilter } from "./filter.ts";
import { narrow } from "./narrow.ts";
import { hasAttribute, project, readProjection } from "./projection.ts";
import { type Found, findAttribute, type Shape } from "./shape.ts";

export const LIST_URN = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/** Resources on one page, and how many there are when nobody says. */
export const MAX_RESULTS = 200;
const USUAL_RESULTS = 100;

/** What is asked of a list (RFC 7644, section 3.4.2). */
export interface ListQuery {
  filter?: string | undefined;
  sortBy?: string | undefined;
  sortOrder?: string | undefined;
  startIndex?: string | number | undefined;
  count?: string | number | undefined;
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** The resources of one type in one org. */
export interface Source<Row> {
  shape: Shape;
  /** Rows that are read at once where the records cannot answer a filter. */
  batch: number;
  count(condition: ScimCondition | null): Promise<number>;
  page(page: ScimPage): Promise<Row[]>;
  /** As many of the first rows as make an answer that is not too large; at least one. */
  fit(rows: Row[], needs: (attribute: string) => boolean): Promise<Row[]>;
  /** Rows as resources; of their relations those that `needs` names. */
  render(rows: Row[], needs: (attribute: string) => boolean): Promise<Json[]>;
}

/** @throws AppError 400 `invalidFilter`, `invalidValue` */
export async function listResources<Row extends { id: string }>(
  source: Source<Row>,
  query: ListQuery,
): Promise<Json> {
  const { shape } = source;
  const projection = readProjection(shape, query);
  const filter = query.filter ? parseFilter(query.filter) : null;
  const startIndex = Math.max(1, readInteger("startIndex", query.startIndex) ?? 1);
  const count = Math.min(MAX_RESULTS, Math.max(0, readInteger("count", query.count) ?? USUAL_RESULTS));
  const sort = readSort(shape, query);
  const { condition, isExact } = filter ? narrow(filter, shape) : { condition: null, isExact: true };
  // Read in any case: what does not go is refused whoever answers.
  const isMeant = filter ? compileFilter(filter, shape) : () => true;
  const order = orderOf(sort);
  const page = { condition, offset: startIndex - 1, limit: count };
  const isSql = isExact && order !== null;
  const whole = isSql ? null : await walk(source, condition, isMeant, { filter, sort });
  const total = whole ? whole.length : await source.count(condition);
  const needs = (name: string) => hasAttribute(projection, name);
  const rows = whole
    ? await rowsOf(source, whole.slice(startIndex - 1, startIndex - 1 + count))
    : count === 0
      ? []
      : await source.page({ ...page, order: order! });
  const resources = await source.render(await source.fit(rows, needs), needs);
  return {
    schemas: [LIST_URN],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => project(resource, projection)),
  };
}

interface Sort {
  found: Found;
  isDescending: boolean;
}

function readSort(shape: Shape, { sortBy, sortOrder }: ListQuery): Sort | null {
  if (sortOrder !== undefined && !/^(ascending|descending)$/i.test(sortOrder))
    throw refused("invalidValue", 'The query parameter "sortOrder" must be ascending or descending.');
  if (!sortBy) return null;
  const found = withValue(findAttribute(shape, sortBy));
  if (!found || found.at(-1)!.type === "complex")
    throw refused("invalidPath", 'The query parameter "sortBy" names no attribute that has an order.');
  return { found, isDescending: sortOrder?.toLowerCase() === "descending" };
}

const ORDERS: Record<string, ScimOrder["column"]> = {
  id: "id",
  userName: "user_name_key",
  "meta.created": "created_at",
  "meta.lastModified": "updated_at",
};

/** The order in SQL; null where the records do not have it. */
function orderOf(sort: Sort | null): ScimOrder | null {
  if (!sort) return { column: "created_at", isDescending: false };
  const column = ORDERS[sort.found.map(({ name }) => name).join(".")];
  return column ? { column, isDescending: sort.isDescending } : null;
}

/** The rows of these ids, in their order. */
async function rowsOf<Row extends { id: string }>(source: Source<Row>, ids: string[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  const condition = { any: ids.map((value) => ({ column: "id", op: "eq", value }) as const) };
  const order = { column: "id", isDescending: false } as const;
  const rows = await source.page({ condition, order, offset: 0, limit: ids.length });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The ids of all that the filter takes, in order: for what the records cannot say themselves. */
async function walk<Row extends { id: string }>(
  source: Source<Row>,
  condition: ScimCondition | null,
  isMeant: (resource: Json) => boolean,
  { filter, sort }: { filter: Filter | null; sort: Sort | null },
): Promise<string[]> {
  const named = new Set([...(filter ? firstNames(filter, source.shape) : []), sort?.found.at(0)?.name]);
  const meant: { id: string; key: string | number | undefined }[] = [];
  for (let offset = 0; ; offset += source.batch) {
    const order = { column: "created_at", isDescending: false } as const;
    const rows = await source.page({ condition, order, offset, limit: source.batch });
    const resources = await source.render(rows, (name) => named.has(name));
    for (const [at, resource] of resources.entries())
      if (isMeant(resource))
        meant.push({ id: rows[at]!.id, key: sort ? keyOf(resource, sort.found) : undefined });
    if (rows.length < source.batch) break;
  }
  if (sort) meant.sort((a, b) => compareKeys(a.key, b.key) * (sort.isDescending ? -1 : 1));
  return meant.map(({ id }) => id);
}

function firstNames(filter: Filter, shape: Shape): string[] {
  if ("path" in filter) return [findAttribute(shape, filter.path)?.at(0)?.name ?? ""];
  return [filter.of].flat().flatMap((one) => firstNames(one, shape));
}

/** Of several values the primary one counts, else the first. */
function keyOf(resource: Json, found: Found): string | number | undefined {
  const [first, ...rest] = found;
  const values = resource[first!.name];
  const primary = Array.isArray(values) ? values.find((one) => (one as Json).primary === true) : undefined;
  const [value] = primary ? valuesAt(primary, rest) : valuesAt(resource, found);
  if (typeof value === "string") return found.at(-1)!.caseExact ? value : fold(value);
  return value === undefined ? undefined : Number(value);
}

/** What has no value comes last. */
function compareKeys(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : a > b ? 1 : 0;
}

function readInteger(name: string, value: string | number | undefined): number | null {
  if (value === undefined || value === "") return null;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw refused("invalidValue", `"${name}" must be a whole number.`);
  return number;
}
