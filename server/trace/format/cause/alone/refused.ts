import { isFailedExchange } from "../detectors/requests.ts";
import { isRecord } from "../differences.ts";
import { jsonOf } from "../json-leaves.ts";
import type { Exchange } from "../run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { bodyOf } from "../words.ts";

/** Whether a request was refused: by its status, or as GraphQL does it, with errors and without data in an answer of success. */
export const isRefusedBy = (one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): boolean =>
  isFailedExchange(one) || isErrorsOnly(jsonOf(bodyOf(one, bodies) ?? ""));

function isErrorsOnly(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.errors) || value.errors.length === 0) return false;
  const { data } = value;
  return data == null || (isRecord(data) && Object.values(data).every((one) => one === null));
}
