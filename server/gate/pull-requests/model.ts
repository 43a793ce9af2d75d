import { type Static, Type } from "@sinclair/typebox";
import type { PullRequestRow } from "../../../store/records/pull-requests.ts";
import { toIso } from "../../platform/clock.ts";
import { nullable, oneOf } from "../../trace/model.ts";
import { GateItem } from "../gates/model.ts";

const Uuid = () => Type.String({ format: "uuid" });

export const PullRequestAnswer = Type.Object({
  id: Uuid(),
  repo: Type.String({ description: "owner/name" }),
  number: Type.Integer(),
  title: Type.String(),
  url: nullable(Type.String({ description: "At the code host." })),
  author: nullable(Type.String()),
  state: oneOf(["open", "closed"] as const),
  is_merged: Type.Boolean(),
  is_draft: Type.Boolean(),
  is_fork: Type.Boolean(),
  head_sha: Type.String(),
  head_ref: Type.String(),
  base_ref: Type.String(),
  changed_at: Type.String({ description: "ISO 8601: when something was last heard of it." }),
  gate: Type.Union([GateItem, Type.Null()], { description: "The newest." }),
});
export type PullRequestAnswer = Static<typeof PullRequestAnswer>;

export const PullRequestList = Type.Object({
  items: Type.Array(PullRequestAnswer),
  next_cursor: nullable(Type.String()),
});

export const PullRequestDetail = Type.Composite([
  PullRequestAnswer,
  Type.Object({ gates: Type.Array(GateItem, { description: "The newest 50, newest first." }) }),
]);
export type PullRequestDetail = Static<typeof PullRequestDetail>;

export const PullRequestQuery = Type.Object({
  repo: Type.Optional(Type.String({ maxLength: 201, description: "owner/name" })),
  number: Type.Optional(Type.Integer({ minimum: 1 })),
  state: Type.Optional(oneOf(["open", "closed"] as const)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 when absent." })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type PullRequestQuery = Static<typeof PullRequestQuery>;

export function toPullRequest(row: PullRequestRow, gate: GateItem | null): PullRequestAnswer {
  return {
    ...{ id: row.id, repo: row.repository, number: row.number, title: row.title, url: row.url },
    ...{ author: row.author, state: row.state, is_merged: row.is_merged === 1, is_draft: row.is_draft === 1 },
    ...{ is_fork: row.is_fork === 1, head_sha: row.head_sha, head_ref: row.head_ref, base_ref: row.base_ref },
    ...{ changed_at: toIso(row.changed_at), gate },
  };
}
