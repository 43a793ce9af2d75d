import type { Store } from "../store/store.ts";
import type { Config } from "./config.ts";
import type { CommandText } from "./docs/commands.ts";
import type { GateState } from "./gate/state.ts";
import type { AddressOf } from "./http/addresses.ts";
import type { AnonymousLimits } from "./http/anonymous-limits.ts";
import type { Metrics } from "./http/metrics.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import type { SignedUrls } from "./http/signed-urls.ts";
import type { StandaloneViewer } from "./http/standalone-viewer.ts";
import type { AuditTrail } from "./identity/audit-events/trail.ts";
import type { Credentials } from "./identity/credentials/credentials.ts";
import type { Vault } from "./identity/secrets/vault.ts";
import type { IdentityState } from "./identity/state.ts";
import type { JobQueue } from "./jobs/queue.ts";
import type { Clock } from "./platform/clock.ts";
import type { LookAtDisk } from "./platform/disk.ts";
import type { Hub } from "./platform/hub.ts";
import type { Ids } from "./platform/ids.ts";
import type { Log } from "./platform/log.ts";
import type { Net } from "./platform/net.ts";
import type { TaskPool } from "./platform/tasks.ts";
import type { RunState } from "./run/state.ts";
import type { TraceState } from "./trace/state.ts";
import type { ViewerAssets } from "./viewer-assets.ts";
import type { WatchState } from "./watch/state.ts";

/** What every room is given. Made once by `main.ts`, or by `testApp` with a clock that tests move. */
export interface Deps {
  config: Config;
  clock: Clock;
  ids: Ids;
  /** The id of this server, by which it knows its own lost work again. */
  serverId: string;
  log: Log;
  net: Net;
  store: Store;
  hub: Hub;
  jobs: JobQueue;
  metrics: Metrics;
  signedUrls: SignedUrls;
  /** Seals the values of the orgs' secrets. */
  vault: Vault;
  rateLimits: RateLimits;
  /** Limits per address, for whom no org answers. */
  anonymousLimits: AnonymousLimits;
  /** Where a request came from. */
  addressOf: AddressOf;
  /** Who makes a request; routes ask through `authMacro`. */
  credentials: Credentials;
  /** The checkpoints of the audit chains. */
  auditTrail: AuditTrail;
  /** CPU-heavy work off the main thread; the tasks are listed in `server/tasks.ts`. */
  tasks: TaskPool;
  /** Space on the disks that hold the data and the cold folder. */
  disk: LookAtDisk;
  /** Every command of the command line as its help tells of it, for the documentation. */
  commands: () => Promise<CommandText[]>;
  /** The built viewer page and its files. */
  viewer: ViewerAssets;
  /** Prints for whoever runs the server what nobody else may read, such as a sign-in link. It stands in no log. */
  tellOperator: (text: string) => void;
  /** The trace page as exported files carry it. */
  standaloneViewer: () => Promise<StandaloneViewer>;
  /** What each wing holds in memory. */
  traceState: TraceState;
  identityState: IdentityState;
  runState: RunState;
  watchState: WatchState;
  gateState: GateState;
}
