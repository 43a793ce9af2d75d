import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { CommitDeps } from "../../jobs/commit.ts";
import type { Actor } from "../actor.ts";
import type { MailDeps } from "../mail/queue.ts";
import type { Json } from "./evaluate.ts";

export type ScimDeps = CommitDeps & MailDeps & Pick<Deps, "store" | "credentials">;

/** One request of a directory, for the org of its token and no other. */
export interface ScimCall {
  deps: ScimDeps;
  actor: Actor;
  /** `https://…/api/v1/scim/v2` */
  base: string;
  /** `If-Match`; null when anything may be changed. */
  ifMatch: string | null;
}

/** A resource with its tag. */
export interface Tagged {
  resource: Json;
  etag: string;
}

/** A weak tag: what is meant by it is the same, how it is written need not be. */
export const etagOf = (version: number) => `W/"${version}"`;

/** Whether a header of tags names this one. */
export function namesTag(header: string, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((tag) => bare(tag) === bare(etag));
}

/** @throws AppError 412 when the resource is not what `If-Match` names */
export function requireMatch({ ifMatch }: Pick<ScimCall, "ifMatch">, version: number): void {
  if (ifMatch === null || namesTag(ifMatch, etagOf(version))) return;
  throw changedMeanwhile();
}

export const changedMeanwhile = () =>
  new AppError(
    "precondition_failed",
    "It was changed meanwhile: read it again, and send the change with its new ETag.",
  );
