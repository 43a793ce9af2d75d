import { jsonOf } from "./json-leaves.ts";
import { exchangeKey } from "./keys.ts";
import type { Exchange, RunFacts } from "./run-facts.ts";

/** Addresses that answer everything: what is asked stands in the request's body. */
const ONE_FOR_ALL = /graphql|\/gql\b|json-?rpc|\/rpc\b/i;

export const isOneForAll = ({ url }: Pick<Exchange, "url">): boolean => ONE_FOR_ALL.test(url);

/** The operation that a request body asks for: GraphQL's, JSON-RPC's method; null where it names none. */
export function operationIn(text: string): string | null {
  const body = jsonOf(text);
  const { operationName, query, jsonrpc, method } = (Array.isArray(body) ? body[0] : (body ?? {})) as Record<
    string,
    unknown
  >;
  if (typeof operationName === "string" && /^\w{1,80}$/.test(operationName)) return operationName;
  if (jsonrpc !== undefined && typeof method === "string" && /^[\w.:/-]{1,80}$/.test(method)) return method;
  if (typeof query !== "string") return null;
  return /^\s*(?:query|mutation|subscription)\s+(\w{1,80})/.exec(query)?.[1] ?? null;
}

/** Names the operations whose requests were kept apart, and calls the requests by them. */
export function nameOperations(facts: RunFacts, bodies: ReadonlyMap<number, string>): void {
  let isNamed = false;
  for (const one of facts.exchanges) {
    const sent = one.requestSeq === null ? undefined : bodies.get(one.requestSeq);
    if (sent === undefined || one.operation !== null || !isOneForAll(one)) continue;
    one.operation = operationIn(sent);
    isNamed ||= one.operation !== null;
  }
  if (isNamed) facts.byKey = Map.groupBy(facts.exchanges, (one) => exchangeKey(one, facts));
}
