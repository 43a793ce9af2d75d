import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { bodyOf } from "../../words.ts";

/** Whether a request was refused: by its status, or with errors and without data in an answer of success, as GraphQL and JSON-RPC do it. */
export function isRefusedBy(one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): boolean {
  if (isFailedExchange(one)) return true;
  const body = bodyOf(one, bodies) ?? "";
  return body.includes('"error') && isErrorsOnly(jsonOf(body));
}

function isErrorsOnly(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value.jsonrpc !== undefined && isRecord(value.error)) return true;
  if (!Array.isArray(value.errors) || value.errors.length === 0) return false;
  const { data } = value;
  return data == null || (isRecord(data) && Object.values(data).every((one) => one === null));
}
