import { existsSync, rmSync, statfsSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { recordsFault } from "./records/faults.ts";
import { appendZeros } from "./zeros.ts";

const SIZE = 1024 * 1024;
/** What of it the database itself may have at most: the journal, which the next transactions need, has the rest. */
const MOST_FOR_DATABASE = SIZE / 2;
/** With less than this left, the disk is about to be full. */
const SCARCE = 4 * SIZE;

/**
 * Room on the disk that is kept for the records alone, so that on a full disk a removal or a verdict can still be written down. It lies
 * in a file of its own and goes from there to the records in two strokes, first to their database and then to their journal: whoever else
 * writes, uploads and recordings above all, gets none of the second.
 */
export interface Reserve {
  /** Takes the room, where it is not taken and the disk has some to spare. */
  keep(): void;
  /** How often the records were given it. */
  readonly timesGiven: number;
  /** Gives the room to the records. @returns false when there was none */
  give(): Promise<boolean>;
  /** After the records were closed: what their journal was given is kept again, on a full disk too. */
  takeBack(): void;
}

/** Where the room goes. */
interface Taker {
  /** Lets zeros be appended to the journal of the records, by its path. */
  growJournal(append: (path: string) => void): void;
  /** By how many bytes the database grows when it takes in what the journal holds. */
  growth(): number;
  /** Lets the database take that in, where the disk has room for it: the journal is written from its start again then. */
  emptyJournal(): void;
}

/** @param whileAlone calls when no transaction of this process is open, and opens none before that returned */
export function createReserve(
  path: string,
  whileAlone: (give: (taker: Taker) => void) => Promise<void>,
  wasGiven: boolean,
): Reserve {
  let timesGiven = wasGiven ? 1 : 0;
  return {
    keep() {
      const kept = sizeOf(path);
      if (kept < SIZE && !isScarce(path)) appendZeros(path, SIZE - kept);
    },
    get timesGiven() {
      return timesGiven;
    },
    async give() {
      let isGiven = false;
      await whileAlone((taker) => {
        const kept = sizeOf(path);
        if (kept === 0) return;
        const growth = taker.growth();
        const rest = growth <= Math.min(kept, MOST_FOR_DATABASE) ? kept - growth : kept;
        truncateSync(path, rest);
        taker.emptyJournal();
        taker.growJournal((journal) => {
          rmSync(path);
          appendZeros(journal, rest);
        });
        timesGiven++;
        isGiven = true;
      });
      return isGiven;
    },
    takeBack() {
      if (timesGiven > 0) appendZeros(path, SIZE - sizeOf(path));
    },
  };
}

/**
 * Opens the records. On a disk that is about to be full they get the room at once: even to open them takes some, and what runs have
 * ended is written down before anything else happens.
 * @returns with whether they got it
 */
export function openWithReserve<Database extends Pick<Taker, "growJournal"> & { raw: { close(): void } }>(
  path: string,
  open: () => Database,
): { database: Database; isGiven: boolean } {
  const kept = sizeOf(path);
  if (kept === 0 || !isScarce(path)) return { database: open(), isGiven: false };
  rmSync(path);
  let database: Database | null = null;
  try {
    database = open();
    database.growJournal((journal) => appendZeros(journal, kept));
    return { database, isGiven: true };
  } catch (error) {
    database?.raw.close();
    appendZeros(path, kept);
    throw error;
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

function isScarce(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < SCARCE;
}

/**
 * Writes into the records what must be written down even on a full disk: there they are given the room, and it is done again.
 * @param onGive is told before the second try
 */
export async function withReserve<Result>(
  reserve: Reserve,
  work: () => Promise<Result>,
  onGive: () => void,
): Promise<Result> {
  const before = reserve.timesGiven;
  try {
    return await work();
  } catch (error) {
    // Files get none of it: where it is they that found the disk full, it stays.
    if (recordsFault(error) !== "full") throw error;
    // Another's work that failed in the same moment may have had it given.
    if (reserve.timesGiven === before && !(await reserve.give()) && reserve.timesGiven === before)
      throw error;
    onGive();
    return work();
  }
}
