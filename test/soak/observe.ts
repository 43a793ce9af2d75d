import { existsSync, readdirSync, readFileSync } from "node:fs";

/** What a server holds, when nothing goes on in it. Bytes. */
export interface Observed {
  /** Below the server, at any depth: runners and their browsers. */
  processes: number;
  handles: number;
  resident: number;
  /** Of its JavaScript, after a collection. */
  heap: number;
  /** How many objects of each type there are. */
  objects: Record<string, number>;
  /** Entries of its temporary folder. */
  temporaries: number;
}

/** Linux tells of processes here. */
export const HAS_PROC = existsSync("/proc/self/stat");

/** What the system tells of a process; nothing of one that has ended. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch (error) {
    // One that ends while it is read is "no such process".
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return "";
    throw error;
  }
}

/** Every process below one, at any depth; those that have ended and wait to be taken note of are none. */
export function descendants(of: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const [state, parent] = readProc(Number(name), "stat").split(") ").at(-1)!.split(" ");
    if (parent !== undefined && state !== "Z") parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === of || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

export const isAlive = (pid: number): boolean => /\) [^Z] /.test(readProc(pid, "stat"));

export const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) * 1024;
