import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { diffOf } from "../../../../server/gate/scenario-edit/edit.ts";
import { insertAttempt, type MenderRow } from "../../../../store/records/mender.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type HostApi, startHostApi } from "../../../helpers/host-api/host-api.ts";
import { replayLab } from "../../../helpers/replays.ts";

setDefaultTimeout(60_000);

const PATH = "checkout.scenario.md";
const TEXT = `---\nslug: checkout\ntitle: "[Buy](x) @team"\nmender: { mode: suggestive }\n---\n1. go to "/"\n2. click button "Pay"\n3. expect text "Thank you"\n`;
const PATCHED = TEXT.replace('"Pay"', '"Place order"');

let host: HostApi;
let app: TestApp;
let lab: ReturnType<typeof replayLab>;
let scenarioId: string;
beforeAll(async () => {
  host = startHostApi();
  host.repository.commit("main", { [`e2e/${PATH}`]: TEXT, "e2e/secret/checkout.scenario.md.txt": "x" });
  app = await testApp({ settings: { code_host: host.asToken, mender: { forbidden_paths: ["locked"] } } });
  lab = replayLab(app);
  scenarioId = await lab.sync(TEXT);
});
afterAll(async () => {
  await app.close();
  await host.close();
});

async function verified(more: Partial<MenderRow> = {}): Promise<string> {
  const id = app.deps.ids.uuid();
  const trace = app.deps.ids.uuid();
  const verification = {
    ...{ status: "passed", replay_id: trace, trace_id: trace, from_step: 2, message: null },
    ...{ sent: [], left_out: [{ method: "POST", url: "http://shop.example/`a`" }], unchanged: null },
  };
  await insertAttempt(app.store.records, {
    ...{ id, org_id: app.orgId, scenario_id: scenarioId, run_id: app.deps.ids.uuid(), trace_id: trace },
    ...{ failure_signature: id, basis: "b", promoted_replay_id: null, status: "verified", stage: "ended" },
    ...{ origin: "rules", classification: "locator_drift", confidence: 0.9, path: PATH, base_text: TEXT },
    summary: 'The button "Pay" is <img src=x> @everyone now.',
    evidence: JSON.stringify([{ text: "Seen by @admin", trace_id: trace, step_id: "s2", events: [] }]),
    patch: diffOf(PATH, TEXT, PATCHED),
    verification: JSON.stringify(verification),
    ...{ created_at: app.clock.now(), updated_at: app.clock.now(), ...more },
  });
  return id;
}

async function apply(id: string) {
  const response = await lab.post(`/v1/mender/${id}/apply`, {});
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

describe("a verified patch", () => {
  test("becomes one pull request for the default branch, however often it is applied", async () => {
    const id = await verified();
    const [first, second] = await Promise.all([apply(id), apply(id)]);
    expect(first.status).toBe(200);
    expect(second.body.pr_url).toBe(first.body.pr_url);
    const pulls = host.model.pulls.filter(({ headRef }) => headRef === `tracedeck/fix-${id.slice(-12)}`);
    expect(pulls).toHaveLength(1);
    expect(pulls[0]).toMatchObject({ baseRef: "main" });
    expect(host.repository.fileAt(pulls[0]!.headRef, `e2e/${PATH}`)).toBe(PATCHED);
    const notices = await app.store.records.selectFrom("notices").select("mender_attempt_id").execute();
    expect(notices).toEqual([{ mender_attempt_id: id }]);
  });

  test("tells what a page said as text: it calls nobody and is no markup", async () => {
    const id = await verified();
    await apply(id);
    const asked = host.model.pulls.find(({ headRef }) => headRef === `tracedeck/fix-${id.slice(-12)}`)!;
    const body = JSON.stringify(asked);
    expect(body).toContain("\\\\@everyone");
    expect(body).not.toContain(" @admin");
    expect(body).not.toContain('"<img');
    expect(body).toContain("What it does not weaken");
  });

  test("is not put over a file that is another one by now, nor where the settings forbid it", async () => {
    const id = await verified({
      base_text: TEXT.replace("Thank you", "Thanks"),
      patch: diffOf(PATH, TEXT.replace("Thank you", "Thanks"), PATCHED.replace("Thank you", "Thanks")),
    });
    expect(await apply(id)).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.stringContaining("was changed since") },
    });
    const locked = await verified({ path: `locked/${PATH}` });
    expect(await apply(locked)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("mender.forbidden_paths") },
    });
    const weaker = await verified({ patch: diffOf(PATH, TEXT, TEXT.replace('"Thank you"', '"Thank"')) });
    expect(await apply(weaker)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("weakens step 3") },
    });
  });

  test("stays verified while the code host does not answer", async () => {
    const id = await verified();
    host.fail(/^GET .*\/repos\/acme\/shop$/, { status: 503 }, 20);
    expect(await apply(id)).toMatchObject({ status: 503, body: { error: "unavailable" } });
    expect((await lab.json(`/v1/mender/${id}`)) as { status: string }).toMatchObject({ status: "verified" });
  });
});
