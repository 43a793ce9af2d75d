import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { writeFileAtomic } from "./files.ts";

/** Who holds a data folder. */
export interface LockHolder {
  pid: number;
  /** When that process started, as the system tells it: another process may have taken over the number. */
  started: string | null;
  /** Tells two locks of one process apart. */
  token: string;
  /** Where it answers, once it listens. */
  url: string | null;
  /** Where others find it, when it was told. */
  publicUrl: string | null;
}

export interface Lock {
  /** Adds the addresses to the lock file, for programs that look for the running server. */
  announce(url: string, publicUrl?: string | null): void;
  /** Gives the folder free. Idempotent. */
  release(): void;
}

/** The folder is held by a living process. */
export class LockedError extends Error {
  override name = "LockedError";
  readonly holder: LockHolder;
  constructor(holder: LockHolder, message: string) {
    super(message);
    this.holder = holder;
  }
}

/** Holds a file for the life of this process, as the operating system sees it; null when another process does. */
export type HoldFile = (path: string) => (() => void) | null;

/** Beside a lock file: what the operating system holds. It stays there, so that all mean the same file. */
const HELD = ".held";

/**
 * Takes the lock file for this process. A lock whose process is gone, or whose number now belongs to another process,
 * is taken over.
 * @param hold what the operating system holds beside the lock file: numbers of processes mean nothing in another container
 * @throws LockedError
 */
export function takeLock(path: string, describe: (holder: LockHolder) => string, hold: HoldFile): Lock {
  const letGo = hold(`${path}${HELD}`);
  if (letGo === null) {
    const holder = readHolder(path) ?? NOBODY_KNOWN;
    throw new LockedError(holder, describe(holder));
  }
  try {
    return takeFile(path, describe, letGo);
  } catch (error) {
    letGo();
    throw error;
  }
}

/** Of a lock that its holder has not written down yet. */
const NOBODY_KNOWN: LockHolder = { pid: 0, started: null, token: "", url: null, publicUrl: null };

function takeFile(path: string, describe: (holder: LockHolder) => string, letGo: () => void): Lock {
  const mine: LockHolder = {
    pid: process.pid,
    started: processStart(process.pid),
    token: randomBytes(8).toString("hex"),
    url: null,
    publicUrl: null,
  };
  take(path, mine, describe);
  return {
    announce: (url, publicUrl = null) =>
      writeFileAtomic(path, JSON.stringify({ ...mine, url, publicUrl }), { mode: 0o600 }),
    release() {
      const holder = readHolder(path);
      if (holder && isSame(holder, mine)) rmSync(path, { force: true });
      letGo();
    },
  };
}

/** The living holder of a lock file; null when there is none. */
export function lockHolder(path: string): LockHolder | null {
  const holder = readHolder(path);
  return holder && isAlive(holder) ? holder : null;
}

/**
 * Several processes may find the same stale lock. Whoever takes the lock beside it, which is named after it, puts its own in
 * its place: in one step, so that there is no moment in which the folder seems to be free.
 */
function take(path: string, mine: LockHolder, describe: (holder: LockHolder) => string): void {
  for (;;) {
    writeFileAtomic(path, JSON.stringify(mine), { mode: 0o600, keepExisting: true });
    const holder = readHolder(path);
    if (holder && isSame(holder, mine)) return;
    if (holder && isAlive(holder)) throw new LockedError(holder, describe(holder));
    // It was given free just now.
    if (!existsSync(path)) continue;
    const beside = `${path}.${Bun.hash(JSON.stringify(holder)).toString(36)}`;
    take(beside, mine, describe);
    try {
      const now = readHolder(path);
      const isStill = holder ? now && isSame(now, holder) : now === null && existsSync(path);
      if (isStill) writeFileAtomic(path, JSON.stringify(mine), { mode: 0o600 });
    } finally {
      rmSync(beside, { force: true });
    }
  }
}

function readHolder(path: string): LockHolder | null {
  try {
    const found = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder> | null;
    if (!found || !Number.isInteger(found.pid) || found.pid! <= 0) return null;
    return {
      pid: found.pid!,
      started: found.started ?? null,
      token: found.token ?? "",
      url: found.url ?? null,
      publicUrl: found.publicUrl ?? null,
    };
  } catch (error) {
    // A lock that is missing or no JSON is nobody's.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function isSame(a: LockHolder, b: LockHolder): boolean {
  return a.pid === b.pid && a.started === b.started && a.token === b.token;
}

function isAlive(holder: LockHolder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM means that it lives and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (process.platform === "linux" && hasEnded(holder.pid)) return false;
  const started = processStart(holder.pid);
  return holder.started === null || started === null || started === holder.started;
}

/** Whether a process has ended and only waits for its parent to ask how; it holds nothing any more. */
function hasEnded(pid: number): boolean {
  try {
    return /^[ZX]$/.test(statOf(pid)[0] ?? "");
  } catch {
    return false;
  }
}

/** The fields of proc(5)'s stat after the name, which may hold spaces: state first, start time as the 20th. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** When a process started, in a form that only serves comparing; null where the system does not tell. */
function processStart(pid: number): string | null {
  if (process.platform === "linux") {
    try {
      return statOf(pid)[19] ?? null;
    } catch {
      return null;
    }
  }
  if (process.platform === "win32") return null;
  const answer = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim() : null;
}
