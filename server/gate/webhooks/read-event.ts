import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isProduction } from "../code-host/deployments.ts";
import type { EventName, HostEvents, PullRequestEvent } from "./events.ts";
import {
  CheckRunPayload,
  CheckSuitePayload,
  DeploymentStatusPayload,
  InstallationPayload,
  MergeGroupPayload,
  PullRequestPayload,
  PushPayload,
  ReviewPayload,
} from "./payloads.ts";

type Payload = Record<string, unknown>;

/** What a payload was read as. Reasons are sentences for the list of deliveries. */
export type ReadEvent =
  | { kind: "event"; name: EventName; event: HostEvents[EventName]; subject: string }
  | { kind: "ignored"; reason: string }
  | { kind: "unreadable"; reason: string };

/** Of whom the settings say that they are us. */
export interface Us {
  /** `owner/name` */
  repository: string | null;
  appId: string;
}

interface Reader<Name extends EventName, Schema extends TSchema> {
  /** The actions that something follows; undefined where an event has none, or all count. */
  actions?: readonly string[];
  schema: Schema;
  read(
    payload: Static<Schema>,
    given: { action: string; us: Us; changes: unknown },
  ): { event: HostEvents[Name]; subject: string } | { ignored: string };
}
const reader = <Name extends EventName, Schema extends TSchema>(one: Reader<Name, Schema>) =>
  one as unknown as Reader<EventName, TSchema>;

const NO_COMMIT = /^0+$/;
/** Of a pull request's title, as it is kept. */
export const LONGEST_TITLE = 300;
/** More than anybody looks up one by one. */
const MOST_PULLS = 50;
const shortSha = (sha: string) => sha.slice(0, 7);
const isSame = (a: string, b: string | null) => a.toLowerCase() === b?.toLowerCase();
const commitOrNull = (sha: string | null | undefined) =>
  sha === undefined || sha === null || NO_COMMIT.test(sha) ? null : sha;

const isOurApp = (app: { id: number; client_id?: string | null } | null, { appId }: Us) =>
  app !== null && (String(app.id) === appId || app.client_id === appId);
const NOT_OURS = "It is about another app's check.";
const numbersOf = (pulls: { number: number }[] | null | undefined) =>
  (pulls ?? []).slice(0, MOST_PULLS).map(({ number }) => number);

function readInstallation(
  payload: Static<typeof InstallationPayload>,
  { us }: { us: Us },
): { event: HostEvents["installation"]; subject: string } {
  const { installation, repositories, repositories_added: added, repositories_removed: removed } = payload;
  const named = [...(repositories ?? []), ...(added ?? []), ...(removed ?? [])];
  const account = installation.account?.login ?? null;
  return {
    event: {
      action: payload.action,
      installationId: installation.id,
      account,
      namesUs: named.length === 0 ? null : named.some((one) => isSame(one.full_name, us.repository)),
    },
    subject: account ?? String(installation.id),
  };
}

const READERS: Record<EventName, Reader<EventName, TSchema>> = {
  pull_request: reader<"pull_request", typeof PullRequestPayload>({
    actions: [
      "opened",
      "reopened",
      "synchronize",
      "ready_for_review",
      "converted_to_draft",
      "closed",
      "edited",
    ],
    schema: PullRequestPayload,
    read({ number, pull_request: pull, before }, { action, changes }) {
      const isBaseChanged = typeof changes === "object" && changes !== null && "base" in changes;
      if (action === "edited" && !isBaseChanged) return { ignored: "Only its words were edited." };
      const headRepository = pull.head.repo?.full_name ?? null;
      return {
        subject: `#${number}`,
        event: {
          action: action as PullRequestEvent["action"],
          number,
          title: pull.title.slice(0, LONGEST_TITLE),
          url: pull.html_url,
          author: pull.user?.login ?? null,
          isDraft: pull.draft ?? false,
          isMerged: pull.merged ?? false,
          headSha: pull.head.sha,
          headRef: pull.head.ref,
          headRepository,
          isFork: headRepository === null || !isSame(headRepository, pull.base.repo.full_name),
          baseSha: pull.base.sha,
          baseRef: pull.base.ref,
          beforeSha: commitOrNull(before),
        },
      };
    },
  }),
  push: reader<"push", typeof PushPayload>({
    schema: PushPayload,
    read: ({ ref, before, after, deleted, repository }) => ({
      subject: ref.replace(/^refs\/(heads|tags)\//, ""),
      event: {
        action: null,
        ref,
        beforeSha: commitOrNull(before),
        afterSha: deleted ? null : commitOrNull(after),
        isDefaultBranch: ref === `refs/heads/${repository.default_branch}`,
      },
    }),
  }),
  check_run: reader<"check_run", typeof CheckRunPayload>({
    actions: ["rerequested", "requested_action"],
    schema: CheckRunPayload,
    read({ check_run: run, requested_action: requested, sender }, { action, us }) {
      if (!isOurApp(run.app, us)) return { ignored: NOT_OURS };
      return {
        subject: shortSha(run.head_sha),
        event: {
          action: action as "rerequested" | "requested_action",
          checkRunId: run.id,
          externalId: run.external_id || null,
          headSha: run.head_sha,
          pullRequests: numbersOf(run.pull_requests),
          requestedAction: requested?.identifier ?? null,
          sender: sender?.login ?? null,
        },
      };
    },
  }),
  check_suite: reader<"check_suite", typeof CheckSuitePayload>({
    actions: ["requested", "rerequested"],
    schema: CheckSuitePayload,
    read({ check_suite: suite }, { action, us }) {
      if (!isOurApp(suite.app, us)) return { ignored: NOT_OURS };
      return {
        subject: shortSha(suite.head_sha),
        event: {
          action: action as "requested" | "rerequested",
          checkSuiteId: suite.id,
          headSha: suite.head_sha,
          headRef: suite.head_branch ?? null,
          pullRequests: numbersOf(suite.pull_requests),
        },
      };
    },
  }),
  installation: reader<"installation", typeof InstallationPayload>({
    schema: InstallationPayload,
    read: readInstallation,
  }),
  installation_repositories: reader<"installation_repositories", typeof InstallationPayload>({
    schema: InstallationPayload,
    read: readInstallation,
  }),
  pull_request_review: reader<"pull_request_review", typeof ReviewPayload>({
    actions: ["submitted", "dismissed"],
    schema: ReviewPayload,
    read: ({ review, pull_request: pull }, { action }) => ({
      subject: `#${pull.number}`,
      event: {
        action: action as "submitted" | "dismissed",
        number: pull.number,
        reviewer: review.user?.login ?? null,
        state: review.state.toLowerCase(),
        commitSha: review.commit_id ?? null,
        headSha: pull.head.sha,
        headRef: pull.head.ref,
      },
    }),
  }),
  deployment_status: reader<"deployment_status", typeof DeploymentStatusPayload>({
    actions: ["created"],
    schema: DeploymentStatusPayload,
    read({ deployment_status: status, deployment }) {
      const environment = status.environment ?? deployment.environment ?? "";
      if (status.state !== "success")
        return { ignored: `The deployment is "${status.state}", no address yet.` };
      if (deployment.production_environment || isProduction(environment))
        return { ignored: "It is a deployment to production." };
      const url = status.environment_url ?? "";
      if (!/^https?:\/\/[^/\s]/.test(url)) return { ignored: "The deployment has no address of its own." };
      return {
        subject: shortSha(deployment.sha),
        event: { action: "created", state: "success", sha: deployment.sha, environment, url },
      };
    },
  }),
  merge_group: reader<"merge_group", typeof MergeGroupPayload>({
    actions: ["checks_requested", "destroyed"],
    schema: MergeGroupPayload,
    read: ({ merge_group: group }, { action }) => ({
      subject: shortSha(group.head_sha),
      event: {
        action: action as "checks_requested" | "destroyed",
        headSha: group.head_sha,
        headRef: group.head_ref,
        baseSha: group.base_sha,
        baseRef: group.base_ref,
      },
    }),
  }),
};

/** Whether something here follows events of that name. */
export const isKnownEvent = (name: string): name is EventName => Object.hasOwn(READERS, name);

/** Reads what a payload tells of, as far as it concerns us. */
export function readEvent(name: string, payload: Payload, us: Us): ReadEvent {
  if (!isKnownEvent(name)) return { kind: "ignored", reason: `Nothing here follows "${name}".` };
  const { actions, schema, read } = READERS[name];
  const action = typeof payload.action === "string" ? payload.action : "";
  if (actions && !actions.includes(action))
    return { kind: "ignored", reason: `Nothing here follows the action "${action.slice(0, 60)}".` };
  if (!Value.Check(schema, payload)) {
    const [first] = Value.Errors(schema, payload);
    const field = (first?.path ?? "").slice(1).replaceAll("/", ".").slice(0, 200);
    return { kind: "unreadable", reason: `"${field}" is missing, or is not what the code host documents.` };
  }
  const repository = repositoryOf(payload);
  if (repository !== null && !isSame(repository, us.repository))
    return {
      kind: "ignored",
      reason:
        us.repository === null
          ? 'settings.json names no repository: "code_host.repository".'
          : `It is about ${repository}; settings.json names ${us.repository}.`,
    };
  const found = read(payload, { action, us, changes: payload.changes });
  return "ignored" in found ? { kind: "ignored", reason: found.ignored } : { kind: "event", name, ...found };
}

/** `owner/name` of what a payload is about; null for an installation. */
export function repositoryOf(payload: Payload): string | null {
  const { repository } = payload as { repository?: { full_name?: unknown } | null };
  const name = repository?.full_name;
  return typeof name === "string" ? name.slice(0, 300) : null;
}
