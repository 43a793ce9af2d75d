import { createCheckpointSigner } from "../../../store/audit/checkpoint.ts";
import { readCheckpoints } from "../../../store/audit/file.ts";
import { createCheckpointKeeper } from "../../../store/audit/keeper.ts";
import {
  type AuditProblem,
  type ChainState,
  problemsOfFile,
  verifyChain,
} from "../../../store/audit/verify.ts";
import type { Records } from "../../../store/records/db.ts";
import { listOrgs } from "../../../store/records/identity.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";

/** A chain held against its checkpoints at some moment. */
export interface VerifiedChain extends ChainState {
  /** Epoch ms. */
  verifiedAt: number;
  /** Of the file of checkpoints itself, which is about all orgs. */
  fileProblems: AuditProblem[];
}

/** The checkpoints of the audit chains, written by this server, and what they tell. */
export interface AuditTrail {
  /** Writes the checkpoints that are due, or with `all` those of every new entry. */
  keep(options?: { all?: boolean }): Promise<void>;
  /** Goes through an org's whole chain. What was found is remembered for a minute, and two who ask at once wait for one. */
  verify(orgId: string): Promise<VerifiedChain>;
  /** Every org's, anew. */
  verifyAll(): Promise<VerifiedChain[]>;
}

const REMEMBER_MS = 60_000;
const KEEP_EVERY_MS = 10_000;

/** @param options.path of the file of checkpoints */
export function createAuditTrail(options: {
  records: Records;
  path: string;
  signingKey: Uint8Array;
  clock: Pick<Clock, "now" | "monotonic">;
  log: Log;
}): AuditTrail {
  const { records, path, clock, log } = options;
  const signer = createCheckpointSigner(options.signingKey);
  const keeper = createCheckpointKeeper(records, path, signer);
  const remembered = new Map<string, { until: number; state: Promise<VerifiedChain> }>();

  async function look(orgId: string): Promise<VerifiedChain> {
    const read = await readCheckpoints(path, signer);
    const state = await verifyChain(records, orgId, read.good);
    return { ...state, verifiedAt: clock.now(), fileProblems: problemsOfFile(read) };
  }

  return {
    async keep(how) {
      const { broken } = await keeper.keep(clock.now(), how);
      for (const orgId of broken)
        log.error("an audit chain does not hold its last checkpoint: see `tracedeck audit verify`", {
          orgId,
        });
    },
    verify(orgId) {
      const known = remembered.get(orgId);
      if (known && clock.monotonic() < known.until) return known.state;
      const state = look(orgId);
      const one = { until: clock.monotonic() + REMEMBER_MS, state };
      remembered.set(orgId, one);
      state.catch(() => {
        if (remembered.get(orgId) === one) remembered.delete(orgId);
      });
      return state;
    },
    async verifyAll() {
      const states: VerifiedChain[] = [];
      for (const { id } of await listOrgs(records)) states.push(await look(id));
      return states;
    },
  };
}

/** Keeps the checkpoints up with the chains. The file lies on this server's disk. */
export function checkpointsTask(trail: AuditTrail): PeriodicTask {
  return { name: "audit checkpoints", everyMs: KEEP_EVERY_MS, of: "server", run: () => trail.keep() };
}
