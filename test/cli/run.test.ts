import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";

setDefaultTimeout(60_000);

const folder = scratchFolder();
const data = folder.at("data");
let shop: Shop;
beforeAll(() => {
  shop = startShop();
});
afterAll(async () => {
  await shop.stop();
  folder.remove();
});

interface Run {
  trace_id: string;
  status: string;
  duration_ms: number;
  error: { reason: string | null; message: string } | null;
}

async function run(
  steps: string[],
  more: string[] = [],
): Promise<{ code: number; runs: Run[]; stderr: string }> {
  const file = folder.at("of-test.scenario.md");
  await Bun.write(
    file,
    `---\nslug: of-test\ntitle: Of the test\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`,
  );
  const { code, stdout, stderr } = await runProgram([
    "run",
    file,
    "--data",
    data,
    "--base-url",
    shop.url,
    "--json",
    ...more,
  ]);
  return { code, stderr, runs: stdout === "" ? [] : (JSON.parse(stdout) as { runs: Run[] }).runs };
}

async function answers(server: RunningServer): Promise<Map<string, number>> {
  const text = await (await server.api("/metrics")).text();
  return new Map(
    [...text.matchAll(/http_requests_total\{method="(\w+)",status="(\d+)"\} (\d+)/g)].map(
      ([, method, status, count]) => [`${method} ${status}`, Number(count)],
    ),
  );
}

describe("run against a server", () => {
  test("keeps within the default limits: nothing is refused, and few requests bring much", async () => {
    const server = await startProgram(data);
    const { runs } = await run([
      'go to "/"',
      'click testid "add-beans"',
      'go to "/cart"',
      "wait 2s",
      'go to "/checkout"',
      'fill field "Email" with "${synthetic.email}"',
      'go to "/"',
    ]);
    expect(runs).toMatchObject([{ status: "passed" }]);
    const events = await server.api(`/v1/traces/${runs[0]!.trace_id}/events?limit=1000`);
    const { events: kept } = (await events.json()) as { events: { blob?: string; html?: string }[] };
    expect(new Set(kept.flatMap(({ blob, html }) => blob ?? html ?? [])).size).toBeGreaterThan(8);
    const said = await answers(server);
    expect([...said.keys()].filter((key) => key.endsWith(" 429"))).toEqual([]);
    const seconds = runs[0]!.duration_ms / 1000;
    const writes = [...said]
      .filter(([key]) => /^(POST|PUT)/.test(key))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(writes).toBeGreaterThan(4);
    // Begin, end, the last of both kinds and the files, and the same of the run; besides them at most two a second.
    expect(writes).toBeLessThan(14 + seconds * 2);
    await server.stop();
  });
});
