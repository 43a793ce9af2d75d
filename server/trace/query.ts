import { MAX_SEARCH_LENGTH, type SearchTerm, searchTerms } from "../../store/records/search-text.ts";
import { invalid } from "../http/errors.ts";
import { fromIso } from "../platform/clock.ts";

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

/** The `q` of a list as terms; null when nothing can match. @throws AppError `invalid_request` */
export function readSearch(name: string, text: string): SearchTerm[] | null {
  if (text.includes("\0")) throw invalid(`The query parameter "${name}" must not hold NUL characters.`);
  if (text.length > MAX_SEARCH_LENGTH)
    throw invalid(`The query parameter "${name}" may have at most ${MAX_SEARCH_LENGTH} characters.`);
  return searchTerms(text);
}

/** A query parameter's ISO 8601 time as epoch ms. @throws AppError `invalid_request` naming the parameter */
export function readTime(name: string, text: string): number {
  const time = fromIso(text);
  if (time === null) throw invalid(`The query parameter "${name}" must be an ISO 8601 time.`);
  return time;
}
