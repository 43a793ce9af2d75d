import { useEffect } from "preact/hooks";
import { ApiError, errorText, isAbort } from "../api/request.ts";
import { goSignIn } from "../router.ts";
import { notify } from "./toast.tsx";

/** Whether nobody needs to be told: the page gave the request up, or goes to the sign-in page. */
export function isDealtWith(error: unknown): boolean {
  if (isAbort(error)) return true;
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  goSignIn();
  return true;
}

/** Leaves for the sign-in page when what the page loads asks for that. */
export function useSignIn(error: unknown): void {
  useEffect(() => void isDealtWith(error), [error]);
}

/** Says what went wrong while what is shown stays. */
export function tellFailure(error: unknown): void {
  if (!isDealtWith(error)) notify(errorText(error), { isError: true });
}
