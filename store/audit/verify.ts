import { AUDIT_GENESIS, type AuditRow, auditHash, auditRowsOf } from "../records/audit.ts";
import type { Db } from "../records/db.ts";
import type { SignedCheckpoint } from "./checkpoint.ts";
import type { ReadCheckpoints } from "./file.ts";

/**
 * What is wrong with a chain. `altered`: an entry is not what was written, or entries between two were taken out. `cut`: its
 * end is missing. `rewritten`: it fits together, and is another than the one that stood there. `forged`: a checkpoint is not
 * signed by the key that it names. `foreign`: checkpoints of another key, by which nothing can be told.
 */
export type AuditProblemKind = "altered" | "cut" | "rewritten" | "forged" | "foreign";

export interface AuditProblem {
  kind: AuditProblemKind;
  /** Null for what is about the file of checkpoints. */
  org_id: string | null;
  /** Entry that it begins with. */
  seq: number | null;
  message: string;
}

/** A replacement of the records that the file of checkpoints tells of. */
export interface AuditReplacement {
  event: "backup.restore" | "records.rebuild";
  at: string;
  backup_at: string | null;
  /** Entries that the chain had had and that are gone with it, as far as checkpoints know. */
  lost: number;
}

export interface ChainState {
  org_id: string;
  entries: number;
  checkpoints: number;
  last_checkpoint_at: string | null;
  /** Entries since then, for which nothing outside the records stands in. */
  after_checkpoint: number;
  replacements: AuditReplacement[];
  problems: AuditProblem[];
}

const PAGE = 500;

/** Goes through an org's whole chain, a page of entries at a time, and holds it against what the file of checkpoints says. */
export async function verifyChain(
  db: Db,
  orgId: string,
  good: readonly SignedCheckpoint[],
): Promise<ChainState> {
  const { expected, replacements, last } = whatCounts(good.filter(({ org_id }) => org_id === orgId));
  const problems: AuditProblem[] = [];
  const tell = (kind: AuditProblemKind, seq: number, message: string) => {
    if (!problems.some((known) => known.kind === kind)) problems.push({ kind, org_id: orgId, seq, message });
  };
  const waiting = [...expected];
  let entries = 0;
  let after = 0;
  let previous = { seq: 0, hash: AUDIT_GENESIS };

  function meetCheckpoints(row: AuditRow & { hash: string }): void {
    while (waiting.length > 0 && waiting[0]!.seq <= row.seq) {
      const checkpoint = waiting.shift()!;
      if (checkpoint.seq === row.seq && checkpoint.hash === row.hash) {
        after = 0;
        continue;
      }
      // What stands there now came later than the checkpoint: what it told of was gone by then.
      if (row.at > Date.parse(checkpoint.at))
        tell("cut", checkpoint.seq, `the chain was cut off before entry ${checkpoint.seq}, and went on`);
      else
        tell(
          "rewritten",
          checkpoint.seq,
          `the chain was written anew: at entry ${checkpoint.seq} it is not the one that stood there at ${checkpoint.at}`,
        );
    }
  }

  for (;;) {
    const rows = await auditRowsOf(db, orgId, { after: previous.seq, limit: PAGE });
    for (const row of rows) {
      entries += 1;
      after += 1;
      if (row.prev_hash !== previous.hash)
        tell(
          "altered",
          row.seq,
          previous.seq === 0
            ? `entry ${row.seq} is not the first one: those before it are missing`
            : `entry ${row.seq} does not follow entry ${previous.seq}: one of them was altered, or others between them are missing`,
        );
      if (!isItself(row))
        tell("altered", row.seq, `entry ${row.seq} was altered: its hash is not that of its content`);
      meetCheckpoints(row);
      previous = row;
    }
    if (rows.length < PAGE) break;
  }
  const missing = waiting[0];
  if (missing) {
    const most = waiting.reduce((count, one) => Math.max(count, one.count), 0);
    tell(
      "cut",
      missing.seq,
      `the chain ends after ${entries} entries; at ${missing.at} it went on to entry ${missing.seq}${most > entries ? `, and it has had ${most}` : ""}`,
    );
  }
  return {
    org_id: orgId,
    entries,
    checkpoints: expected.length,
    last_checkpoint_at: last,
    after_checkpoint: after,
    replacements,
    problems,
  };
}

function isItself({ hash, ...row }: AuditRow & { hash: string }): boolean {
  try {
    return auditHash(row) === hash;
  } catch {
    // A detail that is no JSON any more, a time that is none.
    return false;
  }
}

/** The checkpoints that still hold: those of entries that a replacement of the records took away do not. */
function whatCounts(lines: readonly SignedCheckpoint[]) {
  let expected: SignedCheckpoint[] = [];
  const replacements: AuditReplacement[] = [];
  let last: string | null = null;
  for (const line of lines) {
    last = line.at;
    if (line.event !== "checkpoint") {
      const most = expected.reduce((count, one) => Math.max(count, one.count), 0);
      replacements.push({
        event: line.event,
        at: line.at,
        backup_at: line.backup_at ?? null,
        lost: Math.max(0, most - line.count),
      });
      expected = expected.filter(({ seq }) => seq <= line.seq);
    }
    if (line.seq > 0) expected.push(line);
  }
  return { expected: expected.toSorted((a, b) => a.seq - b.seq), replacements, last };
}

/** What is wrong with the file of checkpoints itself. */
export function problemsOfFile({ forged, foreign }: ReadCheckpoints): AuditProblem[] {
  const about = (kind: AuditProblemKind, message: string) => ({ kind, org_id: null, seq: null, message });
  return [
    ...(forged > 0
      ? [about("forged", `${forged} of the checkpoints were not signed by the key that they name`)]
      : []),
    ...(foreign > 0
      ? [
          about(
            "foreign",
            `${foreign} of the checkpoints were signed with another key than signing.key, so that they tell nothing`,
          ),
        ]
      : []),
  ];
}
