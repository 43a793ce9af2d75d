import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { openZip } from "../../store/archives/zip.ts";
import { slugOf } from "../trace/format/test-name.ts";
import { TRACES_OF_MCP } from "../trace/format/trace-folder.ts";
import type { TraceFolder } from "./trace-folder.ts";

/** A test run's reports: one file, or the shards of a folder. */
export interface ReportToIngest {
  /** As it was named. */
  name: string;
  files: string[];
}

/** What was named, by what it is. */
export interface SortedOut {
  reports: ReportToIngest[];
  /** Traces which nobody has packed. */
  folders: TraceFolder[];
  others: string[];
}

/** Tells reports, unpacked traces and all else apart, by their content. */
export async function sortOut(paths: readonly string[]): Promise<SortedOut> {
  const sorted: SortedOut = { reports: [], folders: [], others: [] };
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() && path.endsWith(".trace"))
      sorted.folders.push({ path: dirname(path), file: basename(path) });
    else if (found?.isFile() && (await isReport(path))) sorted.reports.push({ name: path, files: [path] });
    else if (found?.isDirectory()) await sortFolder(path, sorted);
    // What is not there is told by whoever opens it.
    else sorted.others.push(path);
  }
  return sorted;
}

/** Whether a folder holds a trace as Playwright writes it before it packs it: as its MCP server leaves it. */
export async function isTraceFolder(path: string): Promise<boolean> {
  const names = await readdir(path).catch(() => []);
  return names.some((name) => name.endsWith(".trace"));
}

/** What the traces of a folder are kept as, unless a person says it. */
export function slugOfFolder({ path }: TraceFolder): string {
  const folder = resolve(path);
  const named = basename(folder) === TRACES_OF_MCP ? dirname(folder) : folder;
  return slugOf({ project: "", file: "", titles: [basename(named)] }, "{title}");
}

/** As a person counts them: report-2 before report-10. */
const byNumber = new Intl.Collator("en", { numeric: true }).compare;

async function sortFolder(path: string, sorted: SortedOut): Promise<void> {
  for (const folder of [path, join(path, TRACES_OF_MCP)])
    if (await isTraceFolder(folder)) return void sorted.folders.push({ path: folder });
  const zips = (await readdir(path)).filter((name) => name.endsWith(".zip")).sort(byNumber);
  const files: string[] = [];
  for (const name of zips) if (await isBlobReport(join(path, name))) files.push(join(path, name));
  if (files.length > 0) sorted.reports.push({ name: path, files });
  else sorted.others.push(path);
}

async function isReport(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(64);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const text = head
      .subarray(0, bytesRead)
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trimStart();
    if (text.startsWith("<") || text.startsWith("{")) return true;
    return text.startsWith("PK") && (await isBlobReport(path));
  } finally {
    await file.close();
  }
}

async function isBlobReport(path: string): Promise<boolean> {
  // A damaged one is told by whoever takes it in.
  const zip = await openZip(path).catch(() => null);
  const isIt = zip?.get("report.jsonl") !== undefined;
  await zip?.close();
  return isIt;
}
