import { bomb, unreadable } from "./errors.ts";

/** What an archive may hold at most. Exceeding one is `bundle_bomb`. */
export interface ArchiveCaps {
  /** Files and folders together. */
  maxMembers: number;
  /** Sum of the unpacked sizes in bytes. */
  maxUnpackedBytes: number;
  /** Segments of a path, the file name included. */
  maxDepth: number;
}

export const DEFAULT_CAPS: ArchiveCaps = {
  maxMembers: 200_000,
  maxUnpackedBytes: 20 * 1024 ** 3,
  maxDepth: 8,
};

const LONGEST_NAME = 1024;

/**
 * Refuses a member name that could leave the folder it is unpacked into, on any platform, or that cannot be a file
 * name at all. A trailing slash (a folder) is allowed.
 * @throws ArchiveError
 */
export function checkMemberName(name: string, maxDepth: number): void {
  if (name === "" || name === "/") throw unreadable("The archive has a member without a name.");
  if (name.length > LONGEST_NAME)
    throw unreadable(
      `The archive has a member whose name is longer than ${LONGEST_NAME} characters: ${quote(name)}.`,
    );
  if (name.includes("\\"))
    throw unreadable(`The member ${quote(name)} has a backslash in its name; folders are separated by "/".`);
  if (name.startsWith("/") || /^[a-zA-Z]:/.test(name))
    throw unreadable(`The member ${quote(name)} has an absolute path; only relative paths are taken.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f\ufffd]/.test(name))
    throw unreadable(`The member ${quote(name)} has a control or undecodable character in its name.`);
  const segments = (name.endsWith("/") ? name.slice(0, -1) : name).split("/");
  if (segments.some((segment) => segment === ".." || segment === "." || segment === ""))
    throw unreadable(`The member ${quote(name)} has a path that leaves its folder or has an empty step.`);
  if (segments.length > maxDepth)
    throw bomb(
      `The member ${quote(name)} lies ${segments.length} folders deep; at most ${maxDepth} are taken.`,
    );
}

/** A name as it may stand in a message: bounded, control characters escaped. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
}
