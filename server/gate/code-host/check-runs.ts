import { HostCheckRun, HostCheckRuns } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { cutBytes } from "./limits.ts";
import type { CheckAnnotation, CheckRun, CodeHost } from "./types.ts";

/** https://docs.github.com/rest/checks/runs: characters of summary and text, annotations of one request, and of what each says. */
const LONGEST_TEXT = 65_535;
/** Of a hundred check runs each. */
const MOST_PAGES = 10;
const ANNOTATIONS = 50;
const LONGEST_TITLE = 255;
const LONGEST_MESSAGE = 64 * 1024;

/** Reporting on a commit. Only an app may; the host refuses a person's token. */
export function checkRunWrites(
  host: Connection,
): Pick<CodeHost, "createCheckRun" | "findCheckRun" | "updateCheckRun"> {
  async function change(id: number, run: CheckRun, annotations: CheckAnnotation[]): Promise<void> {
    await host.call(
      "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}",
      { check_run_id: id, ...toBody(run, annotations) },
      HostCheckRun,
    );
  }
  /** The host adds those of each request to what it has. */
  async function addMore(id: number, run: CheckRun): Promise<void> {
    const all = run.annotations ?? [];
    for (let i = ANNOTATIONS; i < all.length; i += ANNOTATIONS)
      await change(id, run, all.slice(i, i + ANNOTATIONS));
  }
  return {
    async createCheckRun(run) {
      const { data } = await host.call(
        "POST /repos/{owner}/{repo}/check-runs",
        { head_sha: run.headSha, ...toBody(run, (run.annotations ?? []).slice(0, ANNOTATIONS)) },
        HostCheckRun,
      );
      await addMore(data.id, run);
      return data.id;
    },
    async findCheckRun(headSha, externalId) {
      const isOurs = ({ external_id }: { external_id?: string | null }) => external_id === externalId;
      const pages = await host.pages(
        "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
        { ref: headSha, filter: "all" },
        HostCheckRuns,
        { mostPages: MOST_PAGES, isEnough: (page) => page.check_runs.some(isOurs) },
      );
      const found = pages.flatMap(({ check_runs }) => check_runs).find(isOurs);
      return found ? { id: found.id, annotations: found.output.annotations_count } : null;
    },
    async updateCheckRun(id, run) {
      await change(id, run, (run.annotations ?? []).slice(0, ANNOTATIONS));
      await addMore(id, run);
    },
  };
}

function toBody(run: CheckRun, annotations: CheckAnnotation[]): Record<string, unknown> {
  return {
    name: run.name,
    status: run.status,
    ...(run.externalId !== undefined && { external_id: run.externalId }),
    ...(run.detailsUrl !== undefined && { details_url: run.detailsUrl }),
    ...(run.status === "completed" && { conclusion: run.conclusion }),
    ...(run.actions !== undefined && { actions: run.actions }),
    output: {
      title: cutBytes(run.title, LONGEST_TITLE),
      summary: cutBytes(run.summary, LONGEST_TEXT),
      ...(run.text !== undefined && { text: cutBytes(run.text, LONGEST_TEXT) }),
      ...(annotations.length > 0 && {
        annotations: annotations.map(({ path, line, level, title, message }) => ({
          path,
          start_line: line,
          end_line: line,
          annotation_level: level,
          title: cutBytes(title, LONGEST_TITLE),
          message: cutBytes(message, LONGEST_MESSAGE),
        })),
      }),
    },
  };
}
