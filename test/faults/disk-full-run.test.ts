import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";
import { smallDisk } from "../helpers/small-disk.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const disk = smallDisk(scratch.at("disk"), 24 << 20);
afterAll(scratch.remove);

interface Run {
  id: string;
  status: string;
  trace_id: string;
  error: { reason: string | null; message: string } | null;
}

describe.if(disk.isMounted)("a run whose disk becomes full", () => {
  const data = `${disk.path}/data`;
  let server: RunningServer;
  let shop: Shop;

  beforeAll(async () => {
    shop = startShop();
    server = await startProgram(data);
    const file = (slug: string, steps: string[]) => ({
      path: `${slug}.scenario.md`,
      text: `---\nslug: ${slug}\ntitle: ${slug}\n---\n${steps.map((step, at) => `${at + 1}. ${step} within 60s`).join("\n")}\n`,
    });
    const walk = Array.from({ length: 300 }, (_, at) => `go to "/${at % 2 ? "cart" : ""}"`);
    await post("/v1/scenarios/sync", { files: [file("short", ['go to "/"']), file("long", walk)] });
  });
  afterAll(async () => {
    await server?.stop("SIGKILL");
    await shop?.stop();
    disk.unmount();
  });

  const post = (path: string, body: unknown) =>
    server.api(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const read = async <T>(path: string): Promise<T> => (await (await server.api(path)).json()) as T;
  const begin = async (scenarioId: string): Promise<string> =>
    ((await (await post("/v1/runs/manual", { scenarioId, baseUrl: shop.url })).json()) as Run).id;
  async function ended(id: string): Promise<Run> {
    const isEnded = async () => !["queued", "running"].includes((await read<Run>(`/v1/runs/${id}`)).status);
    await until("the run ends", isEnded, 60_000);
    return read<Run>(`/v1/runs/${id}`);
  }

  test("ends as an error that says so; the server lives, what was there is whole, and with room the next run passes", async () => {
    const earlier = await ended(await begin("short"));
    expect(earlier).toMatchObject({ status: "passed" });
    const id = await begin("long");
    await until(
      "events of it have come",
      async () => {
        const { trace_id } = await read<Run>(`/v1/runs/${id}`);
        if (!trace_id) return false;
        return (await read<{ event_count: number }>(`/v1/traces/${trace_id}`)).event_count > 0;
      },
      60_000,
    );
    disk.fill();
    const run = await ended(id);
    expect(run).toMatchObject({
      status: "error",
      error: { reason: "recording_lost", message: expect.stringContaining("disk is full") },
    });
    expect((await server.api("/healthz")).status).toBe(200);
    const events = await read<{ total: number }>(`/v1/traces/${earlier.trace_id}/events?limit=1`);
    expect(events.total).toBeGreaterThan(3);

    disk.empty();
    expect(await ended(await begin("short"))).toMatchObject({ status: "passed" });
    // What was recorded before can be read, and a start finds nothing amiss.
    expect(
      (await read<{ total: number }>(`/v1/traces/${run.trace_id}/events?limit=1`)).total,
    ).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
    server = await startProgram(data);
    const { items } = await read<{ items: { id: string }[] }>("/v1/runs");
    expect(items).toHaveLength(3);
  });
});
