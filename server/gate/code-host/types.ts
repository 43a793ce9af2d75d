/** What the gate asks of a code host. One repository, which the settings name (`code_host.repository`). */
export interface CodeHost {
  /** `owner/name` */
  readonly repository: string;
  /** @throws CodeHostError */
  pullRequest(number: number): Promise<PullRequest>;
  /** The branch that changes are for where nothing else is said, and the commit that it stands at. @throws CodeHostError */
  defaultBranch(): Promise<{ ref: string; sha: string }>;
  /** Those that are open, newest first, at most 300. @throws CodeHostError */
  openPullRequests(): Promise<PullRequest[]>;
  /** The open ones whose head is this commit; found for forks too. @throws CodeHostError */
  pullRequestsOf(sha: string): Promise<PullRequest[]>;
  /** What differs between the merge base of two commits and the second. @throws CodeHostError */
  changedFiles(baseSha: string, headSha: string): Promise<ChangedFiles>;
  /** Files of a commit whose path is wanted, as text; bounded by `most` files and 8 MiB. @throws CodeHostError */
  filesAt(sha: string, isWanted: (path: string) => boolean, most: number): Promise<RepositoryFile[]>;
  /** The newest successful deployment of a commit that has an address; null when there is none. @throws CodeHostError */
  previewUrl(sha: string): Promise<string | null>;
  /** @returns the id of the check run @throws CodeHostError */
  createCheckRun(run: CheckRun & { headSha: string }): Promise<number>;
  /** Our check run of a commit that was made with this `externalId`; null when there is none. @throws CodeHostError */
  findCheckRun(headSha: string, externalId: string): Promise<{ id: number; annotations: number } | null>;
  /** Annotations are added to those that it has. @throws CodeHostError */
  updateCheckRun(id: number, run: CheckRun): Promise<void>;
  /**
   * Writes the comment of a pull request that begins with `marker` (an HTML comment), anew when there is none, and leaves others
   * alone.
   * @returns the id of the comment @throws CodeHostError
   */
  putComment(number: number, marker: string, body: string): Promise<number>;
  /** Opens a pull request from a new branch with one commit on `base`; the same branch again gives the same one. @throws CodeHostError */
  propose(proposal: Proposal): Promise<{ number: number; url: string }>;
  /** Deliveries of the app's webhook since a time (epoch ms), oldest first; [] where the credentials are no app's. @throws CodeHostError */
  deliveriesSince(since: number): Promise<HostDelivery[]>;
  /** Asks for a delivery once more. @throws CodeHostError */
  redeliver(id: string): Promise<void>;
}

export interface PullRequest {
  number: number;
  title: string;
  url: string;
  author: string | null;
  state: "open" | "closed";
  isMerged: boolean;
  isDraft: boolean;
  headSha: string;
  headRef: string;
  /** `owner/name`; null when a fork was deleted. */
  headRepository: string | null;
  /** Whether its commits come from another repository: such code gets no secrets. */
  isFork: boolean;
  baseSha: string;
  baseRef: string;
  /** Epoch ms. */
  updatedAt: number;
}

export interface ChangedFiles {
  /** Paths with slashes; a renamed file stands here with both of its paths. */
  paths: string[];
  /** Whether the host cut the list: what is not in it may have changed too. */
  isCut: boolean;
  /** The commit that the change began at; null where nobody said. */
  mergeBaseSha: string | null;
}

export interface RepositoryFile {
  path: string;
  text: string;
}

/** Statuses and conclusions are the host's; `neutral` and `skipped` count as passing there, so nothing of ours that broke has them. */
export interface CheckRun {
  name: string;
  /** Ours, given back with what the host tells of it. */
  externalId?: string;
  detailsUrl?: string;
  status: "queued" | "in_progress" | "completed";
  conclusion?: "success" | "failure" | "cancelled" | "timed_out" | "action_required";
  title: string;
  /** Markdown; cut to what the host takes. */
  summary: string;
  text?: string;
  annotations?: CheckAnnotation[];
  /** Buttons, at most three; whoever presses one is told of as `requested_action`. Those of before go. */
  actions?: { label: string; description: string; identifier: string }[];
}

export interface CheckAnnotation {
  path: string;
  line: number;
  level: "notice" | "warning" | "failure";
  title: string;
  message: string;
}

export interface Proposal {
  baseRef: string;
  /** The commit that the files were read at; the head of the branch when absent. */
  baseSha?: string;
  branch: string;
  title: string;
  /** Markdown. */
  body: string;
  commitMessage: string;
  /** Files of the commit whole; a null text removes the file. */
  files: { path: string; text: string | null }[];
}

export interface HostDelivery {
  /** Digits: there are more than a number holds exactly. */
  id: string;
  guid: string;
  event: string;
  deliveredAt: number;
  isRedelivery: boolean;
  /** The answer that it got; 0 when there was none. */
  status: number;
}

/** The code host refused, could not be reached, or has no such thing; the message is for people and holds no credential. */
export class CodeHostError extends Error {
  override name = "CodeHostError";
  /** `limited` comes back after `retryAt`; `unreachable` may. */
  readonly kind:
    | "not_configured"
    | "unauthorized"
    | "not_found"
    | "conflict"
    | "limited"
    | "unreachable"
    | "refused";
  /** Epoch ms; null when it is not known. */
  readonly retryAt: number | null;
  /** Whether the host did not know the credential, rather than not let it do this. */
  readonly isCredential: boolean;
  constructor(
    kind: CodeHostError["kind"],
    message: string,
    retryAt: number | null = null,
    { isCredential = false }: { isCredential?: boolean } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAt = retryAt;
    this.isCredential = isCredential;
  }
}
