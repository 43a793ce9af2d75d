import { compileScenario } from "../../server/run/language/compile.ts";
import type { ReplayStatus } from "../../server/run/replays/model.ts";
import type { TraceEvent } from "../../server/trace/format/event.ts";
import { setScenarioFile, upsertScenario } from "../../store/records/scenarios.ts";
import type { TestApp } from "./app.ts";

/** Runs scenarios of a test's own as the server runs them, and replays their traces. */
export function replayLab(app: TestApp) {
  const { records } = app.deps.store;

  const json = async (path: string, init?: RequestInit) =>
    (await (await app.api(path, init)).json()) as never;
  const post = (path: string, body: unknown) =>
    app.api(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  async function sync(text: string): Promise<string> {
    const { scenario, problems } = compileScenario({ name: "lab.scenario.md", text }, () => null);
    if (!scenario) throw new Error(problems.map(({ message }) => message).join("; "));
    const now = app.deps.clock.now();
    const { id } = await upsertScenario(records, {
      id: app.deps.ids.uuid(),
      orgId: app.orgId,
      slug: scenario.slug,
      title: scenario.title,
      now,
    });
    await setScenarioFile(records, id, {
      title: scenario.title,
      path: `${scenario.slug}.scenario.md`,
      source: text,
      compiled: JSON.stringify(scenario),
      now,
    });
    return id;
  }

  return {
    json,
    post,
    sync,
    /** Syncs a scenario of these steps. */
    scenario: (slug: string, steps: readonly string[], frontmatter = "") =>
      sync(
        `---\nslug: ${slug}\ntitle: ${slug}\n${frontmatter}---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`,
      ),
    /** The id of the trace that a run leaves. */
    async record(scenarioId: string, baseUrl: string): Promise<string> {
      const run = (await (await post("/v1/runs/manual", { scenarioId, baseUrl })).json()) as { id: string };
      await app.runJobs();
      const { trace_id } = (await json(`/v1/runs/${run.id}`)) as { trace_id: string };
      return trace_id;
    },
    /** Asks for a replay and waits until it has ended. */
    async replay(traceId: string, body: unknown): Promise<ReplayStatus> {
      const asked = await post(`/v1/traces/${traceId}/replay`, body);
      if (asked.status !== 200) throw new Error(await asked.text());
      const { id } = (await asked.json()) as ReplayStatus;
      await app.runJobs();
      return json(`/v1/replays/${id}`);
    },
    async events(traceId: string, kind: string): Promise<TraceEvent[]> {
      const page: { events: TraceEvent[] } = await json(
        `/v1/traces/${traceId}/events?limit=1000&kind=${kind}`,
      );
      return page.events;
    },
  };
}
