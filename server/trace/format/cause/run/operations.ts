import { jsonOf } from "../values/json-leaves.ts";
import { withoutQuery } from "../words.ts";
import type { Exchange, RunFacts } from "./run-facts.ts";

const ONE_FOR_ALL = /graphql|\/gql\b|json-?rpc|\/rpc\b/i;

/** Whether an address answers everything: what is asked stands in the request's body. It is known by its name, or by what it was asked. */
export const isOneForAll = ({ url, operation }: Pick<Exchange, "url" | "operation">): boolean =>
  operation !== null || ONE_FOR_ALL.test(url);

/** Requests whose bodies may name an operation: to an address that is called so, or that was posted to more than once. */
export function askedByBody(exchanges: readonly Exchange[]): Exchange[] {
  const posted = Map.groupBy(
    exchanges.filter(({ method }) => method === "POST"),
    ({ url }) => withoutQuery(url),
  );
  return exchanges.filter(
    (one) =>
      isOneForAll(one) || (one.method === "POST" && (posted.get(withoutQuery(one.url))?.length ?? 0) > 1),
  );
}

/**
 * The operation that a request body asks for: GraphQL's, JSON-RPC's method; null where it names none.
 * @param url an address that is not called so has to be sent more than a name, which any form may have
 */
export function operationIn(text: string, url: string): string | null {
  const body = jsonOf(text);
  const { operationName, query, variables, extensions, jsonrpc, method } = ((Array.isArray(body)
    ? body[0]
    : body) ?? {}) as Record<string, unknown>;
  const isAsked = query !== undefined || variables !== undefined || extensions !== undefined;
  if ((isAsked || ONE_FOR_ALL.test(url)) && typeof operationName === "string" && NAME.test(operationName))
    return operationName;
  if (jsonrpc !== undefined && typeof method === "string" && /^[\w.:/-]{1,80}$/.test(method)) return method;
  if (typeof query !== "string") return null;
  return /^\s*(?:query|mutation|subscription)\s+(\w{1,80})/.exec(query)?.[1] ?? null;
}

const NAME = /^\w{1,80}$/;

/** Names the operations whose requests were kept apart, and calls the requests by them. */
export function nameOperations(facts: RunFacts, bodies: ReadonlyMap<number, string>): void {
  let isNamed = false;
  for (const one of facts.exchanges) {
    const sent = one.requestSeq === null ? undefined : bodies.get(one.requestSeq);
    if (sent === undefined || one.operation !== null || one.method !== "POST") continue;
    one.operation = operationIn(sent, one.url);
    isNamed ||= one.operation !== null;
  }
  if (isNamed) facts.forgetKeys();
}

/** What a procedure that changes something begins with: `cart.addItem`, `remove`. */
const CHANGES =
  /(?:^|[./:_])(?:add|create|insert|register|update|upsert|edit|set|save|put|remove|delete|archive|restore|send|submit|assign|move|rename|cancel|confirm|approve|reject|pay|apply|toggle|mark|upload)(?![a-z])/;
/** What one that only reads begins with. */
const READS = /(?:^|[./:_])(?:get|list|find|fetch|search|load|query|read|count|lookup|describe)(?![a-z])/;

/** What a procedure is called for, by its name; null where that does not say it. */
export const purposeBy = (name: string): "changes" | "reads" | null =>
  CHANGES.test(name) ? "changes" : READS.test(name) ? "reads" : null;

/** Words of operations and addresses that say what is done, or how, and not with what. */
const DEEDS = new Set(
  "list load fetch find create update remove delete save make edit query mutation graph graphql".split(" "),
);

/** What an operation or an address is about, as beginnings of its words: `AddBeneficiary` and `beneficiaries` share `benef`. */
export const topicsOf = (name: string): string[] =>
  (
    name
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z]{4,}/g) ?? []
  )
    .filter((word) => !DEEDS.has(word))
    .map((word) => word.slice(0, 5));
