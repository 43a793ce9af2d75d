import { storageFault } from "../../store/storage-faults.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../http/errors.ts";
import { NetError } from "../platform/net.ts";

/** What a tool says of itself when it goes wrong. */
interface Failing {
  name: string;
  scope: readonly string[];
  whenMissing?: string;
}

/** An error whose message says what to do next: no other advice is added to it. */
export class ToldError extends AppError {
  override name = "ToldError";
}

/** An error as an agent is told of it: what is wrong, and what to do next. What is only ours to know goes to the log. */
export function explainError(deps: Pick<Deps, "log">, failing: Failing, error: unknown): AppError {
  const known = toAppError(deps, failing.name, error);
  const advice = adviceFor(known, failing);
  const message = asArguments(known.message);
  return new AppError(known.kind, advice === null ? message : `${message} ${advice}`);
}

/** What the services call parameters and fields are arguments here. */
const asArguments = (message: string): string =>
  message.replace(/^The (?:query parameter|body's field) (?=")/, "The argument ");

function toAppError({ log }: Pick<Deps, "log">, tool: string, error: unknown): AppError {
  if (error instanceof AppError) {
    if (error.cause !== undefined) log.error(error.message, { tool, error: error.cause });
    return error;
  }
  if (error instanceof NetError) return new AppError(error.kind, error.message);
  const fault = storageFault(error);
  log.error("a tool failed", { tool, error });
  return fault
    ? new AppError("unavailable", `${fault}.`)
    : new AppError("internal", "The server failed; its log tells why.");
}

function adviceFor(error: AppError, { scope, whenMissing }: Failing): string | null {
  const { kind } = error;
  if (error instanceof ToldError) return null;
  if (kind === "insufficient_scope")
    return `Ask for a key that has it: tracedeck keys create --name agent --scopes ${scope[0]}`;
  if (kind === "wrong_org") return "Ask for a key of that org, or name the org in the x-org-id header.";
  if (kind === "not_found") return whenMissing ?? null;
  return null;
}
