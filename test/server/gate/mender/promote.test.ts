import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { reword, step } from "../../../../fixtures/mender/say.ts";
import { judgeScenario } from "../../../../server/gate/guardrails/scenario.ts";
import { diffOf } from "../../../../server/gate/scenario-edit/edit.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import type { ReplayStatus } from "../../../../server/run/replays/model.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type HostApi, startHostApi } from "../../../helpers/host-api/host-api.ts";
import { type MenderLab, menderLab } from "../../../helpers/mender.ts";

setDefaultTimeout(120_000);

// The button has another name, and one without its effect keeps what a person sees of it.
const RENAMED = { ">Save the note<": ">Keep the note<" };
const IDLE = { ...RENAMED, 'await send("notes", { note: $("note").value });': "" };
const STEPS = [
  'go to "/desk"',
  step('expect visible button "Actions"'),
  step('expect enabled field "Note for the team"'),
  step('expect count 1 of heading "Bookings"'),
  step('fill field "Note for the team" with "Towels"'),
  step('click button "Save the note"'),
  step('expect text "Everybody can read it." in main'),
];
const MENDED = STEPS.map((one) => one.replace("Save the note", "Keep the note"));
const fileOf = (slug: string, steps: readonly string[]) =>
  `---\nslug: ${slug}\ntitle: Note\nmender: { mode: suggestive, cache: never }\n---\n${steps.map((one, at) => `${at + 1}. ${one}`).join("\n")}\n`;

let host: HostApi;
let app: TestApp;
let lab: MenderLab;
/** Of the run that failed since the button has another name. */
let failed: string;
beforeAll(async () => {
  host = startHostApi();
  app = await testApp({ settings: { code_host: host.asToken } });
  lab = menderLab(app);
  failed = await failedWith("note", RENAMED);
});
afterAll(async () => {
  await app.close();
  await lab.stop();
  await host.close();
});

/** The trace of a run that passed before these words changed. */
async function failedWith(slug: string, words: Record<string, string>): Promise<string> {
  const scenarioId = await lab.sync(fileOf(slug, STEPS));
  lab.shop.spoil(null);
  await lab.record(scenarioId, lab.shop.url);
  lab.shop.spoil(reword(words));
  const { body } = await post("/v1/runs/manual", { scenarioId, baseUrl: lab.shop.url });
  await app.runJobs();
  return ((await lab.json(`/v1/runs/${body.id}`)) as { trace_id: string }).trace_id;
}

async function post(path: string, body: unknown) {
  const response = await lab.post(path, body);
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const changeTo = (slug: string, steps: readonly string[]) => ({
  from_step: 1,
  edits: { scenario_diff: diffOf("x", fileOf(slug, STEPS), fileOf(slug, steps)) },
});
const promoted = (traceId: string, { id }: Pick<ReplayStatus, "id">) =>
  post(`/v1/traces/${traceId}/promote-fix`, { replay_id: id, summary: "It is called otherwise" });

describe("a replay whose changes make an expectation weaker", () => {
  let passed: ReplayStatus;
  beforeAll(async () => {
    lab.shop.spoil(reword(RENAMED));
    passed = await lab.replay(failed, changeTo("note", MENDED));
    expect(passed).toMatchObject({ status: "succeeded" });
  });

  /** One that passed as well: what it shows is that of the one above. */
  async function replayOf(steps: readonly string[]): Promise<{ id: string }> {
    const { body, status } = await post(`/v1/traces/${failed}/replay`, changeTo("note", steps));
    expect({ status, body }).toMatchObject({ status: 200 });
    await app.store.records
      .updateTable("replays")
      .set({ status: "succeeded", replay_trace_id: passed.replay_trace_id })
      .where("id", "=", body.id!)
      .execute();
    return { id: body.id! };
  }

  test.each<[string, number, string | null, string]>([
    ["a test id for a name", 2, step('expect visible testid "more"'), "a test id takes the place of a name"],
    ["a selector for a name", 2, step('expect visible css "#more"'), "a selector takes the place"],
    ["any text for a button", 2, step('expect visible text "Actions"'), "any text takes the place"],
    ["any button", 2, step("expect visible button"), "has no name"],
    ["a part of the name", 3, step('expect enabled field "Note"'), "only a part of the old one"],
    ["shown for enabled", 3, step('expect visible field "Note for the team"'), "another kind of thing"],
    ["another count", 4, step('expect count 0 of heading "Bookings"'), "a count stays as it is"],
    ["a part of the text", 7, step('expect text "Everybody" in main'), "only a part of the old one"],
    ["any place", 7, step('expect text "Everybody can read it."'), "it looks elsewhere"],
    [
      "a longer wait and nothing else",
      7,
      'expect text "Everybody can read it." in main within 9s',
      "wait longer",
    ],
    ["nothing at all", 7, null, "every step stays"],
  ])("%s: is refused by the judge of both, in promote-fix with its reason", async (_, at, weaker, why) => {
    const steps = MENDED.flatMap((one, index) => (index + 1 === at ? (weaker ?? []) : [one]));
    const texts = { before: fileOf("note", STEPS), after: fileOf("note", steps) };
    const compile = (text: string) => compileScenario({ name: "n.scenario.md", text }, () => null).scenario!;
    const { refusals } = judgeScenario(compile(texts.before), compile(texts.after), texts, {
      isBorneOut: false,
    });
    expect(refusals.map(({ message }) => message).join(" ")).toContain(why);

    const { status, body } = await promoted(failed, await replayOf(steps));
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_request" });
    expect(body.message).toContain(why);
  });

  test("leaves nothing behind, and the one that asks for no less is applied", async () => {
    const origins = await app.store.records.selectFrom("mender_attempts").select("origin").execute();
    expect(origins.map(({ origin }) => origin)).not.toContain("replay");
    host.repository.commit("main", { "e2e/lab.scenario.md": fileOf("note", STEPS) });
    expect(await promoted(failed, passed)).toMatchObject({ status: 200, body: { status: "applied" } });
  });
});

describe("a replay that passes, and no longer does what the last pass did", () => {
  test("is not promoted: the answer says what it no longer sends", async () => {
    const traceId = await failedWith("idle", IDLE);
    const replay = await lab.replay(traceId, changeTo("idle", MENDED));
    const trace: { status: string } = await lab.json(`/v1/traces/${replay.replay_trace_id}`);
    expect(trace.status).toBe("passed");
    const { status, body } = await promoted(traceId, replay);
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_request" });
    expect(body.message).toBe(
      "With the change the scenario passes, but it no longer sends POST /desk/api/notes, which the last pass sent.",
    );
  });
});
