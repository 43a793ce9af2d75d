import { recordAudit } from "../../store/records/audit.ts";
import { type CommitDeps, commit } from "../jobs/commit.ts";

interface Failure {
  userId: string;
  orgId: string;
  method: string;
  ip: string | null;
  /** Epoch ms. */
  at: number;
}

/**
 * Failed sign-ins of accounts that exist, until they are written down: once a minute and account, with their number. So a
 * flood makes no flood of entries, and the answer to a wrong password does not wait for a write that an unknown address lacks.
 */
export interface FailedSignIns {
  note(failure: Failure): void;
  /** What was noted since the last time. */
  take(): (Failure & { failures: number })[];
}

export function createFailedSignIns(): FailedSignIns {
  let noted = new Map<string, Failure & { failures: number }>();
  return {
    note(failure) {
      const key = `${failure.userId} ${failure.method}`;
      noted.set(key, { ...failure, failures: (noted.get(key)?.failures ?? 0) + 1 });
    },
    take() {
      const due = [...noted.values()];
      noted = new Map();
      return due;
    },
  };
}

/** Writes down what was noted. */
export async function auditFailedSignIns(deps: CommitDeps, failed: FailedSignIns): Promise<void> {
  for (const { userId, orgId, method, ip, at, failures } of failed.take())
    await commit(deps, (trx) =>
      recordAudit(trx, {
        ...{
          orgId,
          at,
          actor: { type: "user", id: userId },
          action: "session.signin_failed",
          target: userId,
        },
        ...{ ip, detail: { method, failures } },
      }),
    );
}
