import type { Repository } from "./repository.ts";

export interface ModelPull {
  number: number;
  title: string;
  body: string | null;
  author: string;
  state: "open" | "closed";
  isMerged: boolean;
  isDraft: boolean;
  headRef: string;
  headSha: string;
  /** `owner/name`; null for a fork that was deleted. */
  headRepository: string | null;
  baseRef: string;
  updatedAt: number;
}

export interface ModelComment {
  id: number;
  number: number;
  login: string;
  body: string;
  /** How often it was written, the first time included. */
  writes: number;
}

/** A check run as it stands, and every body that it was sent. */
export interface ModelCheckRun {
  id: number;
  name: string;
  head_sha: string;
  status: string;
  conclusion: string | null;
  external_id: string | null;
  details_url: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: Record<string, unknown>[];
  writes: Record<string, unknown>[];
}

export interface ModelDelivery {
  id: string;
  guid: string;
  event: string;
  action: string | null;
  /** What was sent: the headers and the bytes. */
  headers: Record<string, string>;
  body: string;
  deliveredAt: number;
  isRedelivery: boolean;
  status: number;
}

/** What the host remembers. */
export interface HostModel {
  repository: Repository;
  fullName: string;
  pulls: ModelPull[];
  comments: ModelComment[];
  checkRuns: ModelCheckRun[];
  deployments: { id: number; sha: string; url: string | null; state: string; isProduction: boolean }[];
  deliveries: ModelDelivery[];
  nextId: number;
}

export const iso = (ms: number) => new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");

const user = (login: string) => ({ login, type: login.endsWith("[bot]") ? "Bot" : "User" });

/** As the REST API and webhooks show a pull request. */
export function showPull(model: HostModel, pull: ModelPull): Record<string, unknown> {
  const repo = (fullName: string | null) =>
    fullName === null ? null : { full_name: fullName, name: fullName.split("/")[1] };
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body,
    html_url: `https://host.example/${model.fullName}/pull/${pull.number}`,
    user: user(pull.author),
    state: pull.state,
    draft: pull.isDraft,
    merged: pull.isMerged,
    merged_at: pull.isMerged ? iso(pull.updatedAt) : null,
    head: { ref: pull.headRef, sha: pull.headSha, repo: repo(pull.headRepository) },
    base: {
      ref: pull.baseRef,
      sha: model.repository.head(pull.baseRef) ?? "0".repeat(40),
      repo: repo(model.fullName),
    },
    created_at: iso(pull.updatedAt),
    updated_at: iso(pull.updatedAt),
  };
}

export const showComment = (one: ModelComment) => ({ id: one.id, body: one.body, user: user(one.login) });

export const showCheckRun = (run: ModelCheckRun) => ({
  id: run.id,
  name: run.name,
  head_sha: run.head_sha,
  status: run.status,
  conclusion: run.conclusion,
  external_id: run.external_id,
  details_url: run.details_url,
  output: { ...run.output, annotations_count: run.annotations.length },
});
