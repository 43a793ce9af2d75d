/** Of a file's beginning, what is read for signs of a report. */
const HEAD_BYTES = 4096;
/** Of a zip's end, what is looked through for the names of its members. */
const END_BYTES = 1024 * 1024;

/** Whether a file is a report of a whole test run, by its content: a Playwright blob or JSON report, or JUnit XML. */
export async function isReport(file: Blob): Promise<boolean> {
  const head = (await file.slice(0, HEAD_BYTES).text()).replace(/^\ufeff/, "").trimStart();
  if (head.startsWith("<")) return /<testsuites?\b/.test(head);
  if (head.startsWith("{")) return /"(config|suites)"\s*:/.test(head);
  if (!head.startsWith("PK")) return false;
  const end = new TextDecoder("latin1").decode(await file.slice(-END_BYTES).arrayBuffer());
  return end.includes("report.jsonl");
}

/** Files as they are taken in: reports make test runs, all else is a trace of some scenario. */
export async function sortReports(files: readonly File[]): Promise<{ reports: File[]; traces: File[] }> {
  const reports: File[] = [];
  const traces: File[] = [];
  for (const file of files) {
    // One that cannot be read is told of by its upload.
    const isOne = await isReport(file).catch(() => false);
    (isOne ? reports : traces).push(file);
  }
  return { reports, traces };
}

/** What archives that came together are a run by. */
export interface SharedRun {
  /** Again the same when they come again. */
  id: string;
  /** The place of this one among them. */
  shard: { index: number; total: number };
}

/** The run of archives that came together; null for a report alone. */
export function sharedRun(file: File, reports: readonly File[]): SharedRun | null {
  const shards = reports.filter(({ name }) => name.endsWith(".zip"));
  if (shards.length < 2 || !shards.includes(file)) return null;
  const sizes = shards.map(({ size }) => size).toSorted((a, b) => a - b);
  return {
    id: `dropped-${sizes.join("-")}`.slice(0, 200),
    shard: { index: shards.indexOf(file) + 1, total: shards.length },
  };
}
