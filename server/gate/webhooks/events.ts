import type { PullRequest } from "../code-host/types.ts";

/** What a code host's webhook tells, as far as anything here asks for it: read from its payloads by `read-event.ts`. */
export interface HostEvents {
  pull_request: PullRequestEvent;
  push: PushEvent;
  check_run: CheckRunEvent;
  check_suite: CheckSuiteEvent;
  installation: InstallationEvent;
  installation_repositories: InstallationEvent;
  pull_request_review: ReviewEvent;
  deployment_status: DeploymentStatusEvent;
  merge_group: MergeGroupEvent;
}
export type EventName = keyof HostEvents;

export interface PullRequestEvent extends Omit<PullRequest, "state" | "updatedAt"> {
  /** `closed` is merged when `isMerged` says so; `edited` comes here only when the base changed. */
  action:
    | "opened"
    | "reopened"
    | "synchronize"
    | "ready_for_review"
    | "converted_to_draft"
    | "closed"
    | "edited";
  /** The head before a `synchronize`. */
  beforeSha: string | null;
}

export interface PushEvent {
  action: null;
  /** `refs/heads/main`, `refs/tags/v1` */
  ref: string;
  beforeSha: string | null;
  /** Null when the branch or tag was deleted. */
  afterSha: string | null;
  isDefaultBranch: boolean;
}

/** Of our own app alone. */
export interface CheckRunEvent {
  action: "rerequested" | "requested_action";
  checkRunId: number;
  /** Ours, as the check run was made with it; null without. */
  externalId: string | null;
  headSha: string;
  /** Of a commit that lies in a fork the host names none: look them up by the head. */
  pullRequests: number[];
  /** Of the button that was pressed; null for `rerequested`. */
  requestedAction: string | null;
  /** Who asked, by the name at the host, which shows its buttons to those who may write to the repository. */
  sender: string | null;
}

/** Of our own app alone. */
export interface CheckSuiteEvent {
  /** `requested`: a commit was pushed; `rerequested`: “Re-run all checks”. */
  action: "requested" | "rerequested";
  checkSuiteId: number;
  headSha: string;
  headRef: string | null;
  /** As of a check run. */
  pullRequests: number[];
}

export interface InstallationEvent {
  /** `created deleted suspend unsuspend new_permissions_accepted`, of `installation_repositories` `added removed`. */
  action: string;
  installationId: number;
  account: string | null;
  /** Whether our repository is named; null when the host names none, as for “all repositories”. */
  namesUs: boolean | null;
}

export interface ReviewEvent {
  action: "submitted" | "dismissed";
  number: number;
  reviewer: string | null;
  /** `approved changes_requested commented dismissed`, in lower case. */
  state: string;
  /** What was reviewed, which may be older than the head. */
  commitSha: string | null;
  headSha: string;
  headRef: string;
}

export interface DeploymentStatusEvent {
  action: "created";
  /** `success` alone comes here, of no production environment. */
  state: "success";
  sha: string;
  environment: string;
  /** Where it was deployed, as the host tells it: under the rules for targets before anything is sent there. */
  url: string;
}

export interface MergeGroupEvent {
  action: "checks_requested" | "destroyed";
  headSha: string;
  headRef: string;
  baseSha: string;
  baseRef: string;
}

/** Who handles events, and how they are told of one. */
export interface EventContext {
  orgId: string;
  /** Of the inbound delivery: the same at every attempt and every replay. */
  deliveryId: string;
  /** Aborts at shutdown. */
  signal: AbortSignal;
  /** Keeps the job's lease during long work. */
  heartbeat(): Promise<void>;
}

/**
 * One handler for every event. It may be called again for the same delivery, for an older one after a newer one, and for the same
 * commit by several deliveries: what it does is done once all the same. It returns a sentence about what follows, for the list of
 * deliveries. `CodeHostError`s `limited` and `unreachable` have it called again later; anything else that it throws is tried three
 * times.
 */
export type EventHandlers = {
  [Name in EventName]: (event: HostEvents[Name], context: EventContext) => Promise<string>;
};
