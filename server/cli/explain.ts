import { CommanderError } from "commander";
import { LostRecordsError } from "../../store/lost-records.ts";
import { NewerDatabaseError, type RecordsFault } from "../../store/records/errors.ts";
import { recordsFault } from "../../store/records/faults.ts";
import { RestoreError } from "../../store/restore.ts";
import { SettingsError } from "../../store/settings.ts";
import { storageFault } from "../../store/storage-faults.ts";
import { ConfigError } from "../config.ts";
import { AppError } from "../http/errors.ts";
import { SigningKeyError } from "../http/signed-urls.ts";
import { ListenError } from "../listen.ts";
import { LockedError } from "../platform/lock.ts";
import { ScenarioFileError } from "../run/scenarios/files.ts";
import { CliError, UsageError } from "./output.ts";

/** Errors whose message is written for the person at the terminal. */
const TOLD = [
  AppError,
  CliError,
  ConfigError,
  ListenError,
  LockedError,
  LostRecordsError,
  NewerDatabaseError,
  RestoreError,
  SettingsError,
  SigningKeyError,
  UsageError,
  ScenarioFileError,
];

const SYSTEM: Record<string, string> = {
  EACCES: "This account may not write or read",
  EPERM: "This account may not change",
  EROFS: "The disk is read-only at",
  ENOSPC: "The disk is full at",
  EDQUOT: "The disk quota is used up at",
  EIO: "The disk fails at",
  ENOTDIR: "A part of this path is a file, not a folder:",
  ENOENT: "There is no such file or folder:",
  EISDIR: "This is a folder where a file belongs:",
};

/** Whether the command line, or a variable that stands for a part of it, was at fault. */
export function isMisuse(error: unknown): boolean {
  return [CommanderError, ConfigError, UsageError].some((kind) => error instanceof kind);
}

/** What `--json` prints of an error: the body that the API has for it. */
export function describeError(error: unknown): { error: string; message: string } {
  return { error: codeOf(error), message: explain(error) };
}

function codeOf(error: unknown): string {
  if (error instanceof AppError) return error.kind;
  if (error instanceof CliError) return error.code;
  if (error instanceof ScenarioFileError) return "validation_failed";
  if (error instanceof LockedError) return "conflict";
  if (isTold(error) || isMisuse(error)) return "invalid_request";
  return storageFault(error) === null ? "internal" : "unavailable";
}

const isTold = (error: unknown): boolean => TOLD.some((kind) => error instanceof kind);

/** What went wrong, in one sentence; with a stack only when it is nothing that was foreseen. */
export function explain(error: unknown): string {
  if (isTold(error)) return (error as Error).message;
  if (error instanceof CommanderError) return error.message.replace(/^error: /, "");
  const { code, path, dest } = error as { code?: unknown; path?: string; dest?: string };
  if (typeof code === "string") {
    if (SYSTEM[code]) return `${SYSTEM[code]} ${dest ?? path ?? "the data folder"}.`;
    const records = recordsFault(error);
    if (records) return `${RECORDS[records] ?? "The database cannot be used"} (${code}).`;
  }
  const fault = storageFault(error);
  if (fault) return `${fault}.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const RECORDS: Partial<Record<RecordsFault, string>> = {
  full: "The disk is full",
  disk: "The disk cannot be read or written",
  cannot_open: "The database cannot be opened: is the data folder writable?",
  read_only: "The database is read-only: is the data folder writable?",
  busy: "Another process keeps the database busy; try again",
  corrupt: "The database is damaged: `tracedeck doctor` says more, `tracedeck restore` puts a backup back",
  no_database: "tracedeck.db is no database: `tracedeck restore` puts a backup back",
};
