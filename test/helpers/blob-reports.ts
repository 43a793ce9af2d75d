import { zip } from "./bundles.ts";

/** One attempt of a test of a blob report; the trace is a whole Playwright archive. */
export interface ToldAttempt {
  title?: string;
  retry?: number;
  status?: string;
  /** Epoch ms. */
  startedAt?: number;
  trace?: Uint8Array;
}

interface ToldReport {
  attempts: ToldAttempt[];
  project?: string;
  /** How the whole run ended, as its own end says. */
  status?: string;
  /** Of onBlobReportMetadata beside its version. */
  metadata?: Record<string, unknown>;
  config?: Record<string, unknown>;
}

/** When a report's run begins, epoch ms. */
export const START = 1_772_366_400_000;
const line = (method: string, params: unknown) => `${JSON.stringify({ method, params })}\n`;

/** A Playwright blob report of a.spec.ts. */
export function blobReport({ attempts, project = "chromium", status, metadata, config = {} }: ToldReport) {
  const titles = [...new Set(attempts.map(({ title = "pays" }) => title))];
  const suite = {
    title: "a.spec.ts",
    entries: titles.map((title, at) => ({
      testId: title,
      title,
      location: { file: "a.spec.ts", line: at + 3 },
    })),
  };
  const hasFailed = attempts.some((one) => one.status === "failed");
  const members = attempts.flatMap(({ trace }, at) =>
    trace ? [{ name: `resources/${at}.zip`, content: trace }] : [],
  );
  const events = [
    line("onBlobReportMetadata", { version: 2, pathSeparator: "/", ...metadata }),
    line("onConfigure", { config }),
    line("onProject", { project: { name: project, suites: [suite] } }),
    ...attempts.map((one, at) => attemptLines(one, at)),
    line("onEnd", {
      result: { status: status ?? (hasFailed ? "failed" : "passed"), startTime: START, duration: 9 },
    }),
  ];
  return zip([{ name: "report.jsonl", content: events.join("") }, ...members]);
}

function attemptLines(attempt: ToldAttempt, at: number): string {
  const { title: testId = "pays", retry = 0, status = "passed", startedAt = START, trace } = attempt;
  const [id, attachments] = [`r${at}`, [{ name: "trace", path: `resources/${at}.zip` }]];
  const errors = status === "failed" ? [{ message: "Error: no" }] : [];
  return [
    line("onTestBegin", { testId, result: { id, retry, startTime: startedAt } }),
    trace ? line("onAttach", { testId, resultId: id, attachments }) : "",
    line("onTestEnd", {
      test: { testId, expectedStatus: "passed" },
      result: { id, status, duration: 5, errors },
    }),
  ].join("");
}
