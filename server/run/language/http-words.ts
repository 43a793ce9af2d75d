import { StepProblem } from "./problem.ts";
import type { Reader } from "./reader.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export function optionalMethod(reader: Reader): string | null {
  const method = METHODS.find((one) => reader.isAt(one));
  if (method) reader.takes(method);
  return method ?? null;
}

/** `status 201` */
export function optionalStatus(reader: Reader): number | null {
  if (!reader.takes("status")) return null;
  const { offset } = reader.peek();
  const status = reader.number("a status");
  if (status < 100 || status > 599) throw new StepProblem(offset, "a status from 100 to 599 was expected");
  return status;
}
