import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { menderHandlers, menderTasks } from "../../../../server/gate/mender/handlers.ts";
import { diffOf } from "../../../../server/gate/scenario-edit/edit.ts";
import { insertAttempt, type MenderRow, rejectedPatches } from "../../../../store/records/mender.ts";
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

/** Does something between the look at the repository and what is written there. */
function meanwhile(act: () => void | Promise<void>): Disposable {
  const { gateState } = app.deps;
  const host = gateState.codeHost!;
  gateState.codeHost = {
    ...host,
    async propose(wanted) {
      await act();
      return host.propose(wanted);
    },
  };
  return {
    [Symbol.dispose]() {
      gateState.codeHost = host;
    },
  };
}

const pullOf = (id: string) =>
  host.model.pulls.find(({ headRef }) => headRef === `tracedeck/fix-${id.slice(-12)}`);

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
    host.mend();
  });

  test("that changes a script in two places, each by a patch of its own, has both in one commit", async () => {
    const before = "const a = 1;\nconst b = 2;\nconst c = 3;\nconst d = 4;\nconst e = 5;\nshow(a, e);\n";
    const between = before.replace("a = 1", "a = 10");
    const after = between.replace("show(a, e)", "show(e, a)");
    host.repository.commit("main", { "public/cart.js": before });
    const id = await verified({
      patch: null,
      source_patches: JSON.stringify([
        { path: "cart.js", diff: diffOf("cart.js", before, between) },
        { path: "cart.js", diff: diffOf("cart.js", between, after) },
      ]),
    });
    expect(await apply(id)).toMatchObject({ status: 200, body: { status: "applied" } });
    expect(host.repository.fileAt(pullOf(id)!.headRef, "public/cart.js")).toBe(after);
    expect(host.repository.fileAt("main", "public/cart.js")).toBe(before);
  });

  test("is put on the commit that was read alone: a branch that moved on meanwhile is looked at again", async () => {
    const id = await verified();
    let moves = 0;
    using _ = meanwhile(() => {
      moves += 1;
      if (moves === 1) host.repository.commit("main", { "later.txt": "1" });
    });
    expect(await apply(id)).toMatchObject({ status: 200 });
    expect(moves).toBe(2);
    const { headRef } = pullOf(id)!;
    expect(host.repository.fileAt(headRef, "later.txt")).toBe("1");
    expect(host.repository.fileAt(headRef, `e2e/${PATH}`)).toBe(PATCHED);
  });

  test("is not put over what somebody made of the file between the look and the commit", async () => {
    const id = await verified();
    {
      using _ = meanwhile(() => {
        host.repository.commit("main", { [`e2e/${PATH}`]: `${TEXT}4. expect text "Receipt"\n` });
      });
      expect(await apply(id)).toMatchObject({
        status: 409,
        body: {
          error: "conflict",
          message: expect.stringContaining("was changed since the scenario failed"),
        },
      });
    }
    expect(pullOf(id)).toBeUndefined();
    host.repository.commit("main", { [`e2e/${PATH}`]: TEXT });
    let moves = 0;
    using _ = meanwhile(() => {
      moves += 1;
      host.repository.commit("main", { "busy.txt": String(moves) });
    });
    expect(await apply(id)).toMatchObject({
      status: 409,
      body: {
        message: '"main" has moved on since its files were read. Apply the fix again when that is over.',
      },
    });
    expect(moves).toBe(3);
    expect(pullOf(id)).toBeUndefined();
    expect((await lab.json(`/v1/mender/${id}`)) as { status: string }).toMatchObject({ status: "verified" });
  });

  test("that somebody rejects while it is applied shows its pull request and the rejection, and is not proposed again", async () => {
    const id = await verified({ patch_hash: "the same change" });
    let rejected = 0;
    {
      using _ = meanwhile(async () => {
        rejected = (await lab.post(`/v1/mender/${id}/reject`, { reason: "The name comes back" })).status;
      });
      expect(await apply(id)).toMatchObject({ status: 200, body: { status: "applied" } });
    }
    expect(rejected).toBe(200);
    expect((await lab.json(`/v1/mender/${id}`)) as object).toMatchObject({
      ...{ status: "applied", reject_reason: "The name comes back" },
      pr_url: expect.stringContaining("/pull/"),
    });
    expect(pullOf(id)).toBeDefined();
    expect(await rejectedPatches(app.store.records, scenarioId)).toContain("the same change");
    // It outlives what is forgotten after a while, like any other rejection.
    app.clock.advance(400 * 24 * 60 * 60_000);
    for (const task of menderTasks(app.deps)) await task.run();
    expect(await rejectedPatches(app.store.records, scenarioId)).toContain("the same change");
  });
});

describe("an attempt that is given up", () => {
  const running = JSON.stringify({
    ...{ status: "running", replay_id: null, trace_id: null, from_step: 2, message: null },
    ...{ sent: [], left_out: [], unchanged: null },
  });
  const runTasks = async () => {
    for (const task of menderTasks(app.deps)) await task.run();
  };

  test("is one that nobody came back to for twelve hours: it has failed, and its patch counts as not tried", async () => {
    const id = await verified({ status: "proposed", stage: "verifying", verification: running });
    app.clock.advance(11 * 60 * 60_000);
    await runTasks();
    expect(await lab.json(`/v1/mender/${id}`)).toMatchObject({
      ...{ status: "proposed", stage: "verifying", verification: { status: "running" } },
    } as never);
    app.clock.advance(2 * 60 * 60_000);
    await runTasks();
    const why = "Nobody came back to it within twelve hours, so that it was given up.";
    expect(await lab.json(`/v1/mender/${id}`)).toMatchObject({
      ...{ status: "failed", stage: "ended", summary: why },
      verification: { status: "not_possible", message: why, from_step: 2 },
    } as never);
    expect((await apply(id)).status).toBe(409);
  });

  test("is one whose job failed for good: its patch counts as not tried as well", async () => {
    const id = await verified({ status: "proposed", stage: "verifying", verification: running });
    for (const { onDead } of menderHandlers(app.deps))
      await onDead?.({ attempt_id: id }, "The disk is full.");
    expect(await lab.json(`/v1/mender/${id}`)).toMatchObject({
      ...{ status: "failed", stage: "ended" },
      verification: { status: "not_possible", message: "It could not be looked at: The disk is full." },
    } as never);
  });

  test("is none that was through before", async () => {
    const id = await verified();
    app.clock.advance(13 * 60 * 60_000);
    await runTasks();
    expect(await lab.json(`/v1/mender/${id}`)).toMatchObject({
      ...{ status: "verified", verification: { status: "passed", message: null } },
    } as never);
  });
});
