/**
 * Ingests a file and dies by SIGKILL at a step, or prints what became of it.
 * Arguments: data folder, file, step or "-".
 */
import { loadConfig } from "../../server/config.ts";
import { createRuntime } from "../../server/main.ts";
import { createIngestService } from "../../server/trace/ingest/service.ts";

const [dataDir, path, deadly] = process.argv.slice(2) as [string, string, string];
const runtime = await createRuntime(loadConfig({ data: dataDir, port: 0 }, {}));
const service = createIngestService(runtime.deps, {
  onStep(step) {
    if (step === deadly) process.kill(process.pid, "SIGKILL");
  },
});
const actor = {
  type: "api_key" as const,
  id: "test",
  orgId: runtime.credentials.org_id,
  userId: null,
  role: null,
  scopes: new Set<never>(),
  ip: null,
};
const form = new FormData();
form.append("scenario_slug", "crash");
form.append("bundle", Bun.file(path));
const request = new Request("http://localhost/v1/traces/ingest", { method: "POST", body: form });
const told = await service.upload(actor, request).catch((error: { kind?: string; message: string }) => ({
  error: error.kind ?? error.message,
}));
process.stdout.write(JSON.stringify(told));
await runtime.close();
