import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import type { ModelPull } from "../../helpers/host-api/model.ts";
import type { Files } from "../../helpers/host-api/repository.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

// What does not compile is laid to a change only where it did before. Nothing is run here: no change concerns a file that compiles.
const GO = ['go to "/"'];
const BROKEN = scenarioFile("old", ['go too "/"']);
let lab: GateLab;
beforeAll(async () => {
  lab = await gateLab();
  lab.files({
    "e2e/old.scenario.md": BROKEN,
    "e2e/spare.scenario.md": scenarioFile("spare", GO),
    "e2e/login.scenario.md": scenarioFile("login", GO),
    "e2e/pay.scenario.md": scenarioFile("pay", ['use "login"', ...GO]),
  });
});
afterEach(() => lab.host.mend());
afterAll(() => lab.close());

async function judged(files: Files): Promise<{ pull: ModelPull; gate: GateAnswer }> {
  const pull = lab.host.openPull(files);
  await lab.news("opened", pull);
  await lab.work();
  return { pull, gate: await lab.newest(pull) };
}

/** `path` of each problem, those that are laid to the change with `!`. */
const told = ({ problems }: GateAnswer): string[] => [
  ...new Set(problems.map(({ path, isNew }) => `${path}${isNew ? "!" : ""}`)),
];

describe("a scenario file that did not compile before", () => {
  test("does not fail the gate, and is told as it was, whatever else of the scenarios the change touches", async () => {
    const { pull, gate } = await judged({ "e2e/spare.scenario.md": null });
    expect(gate).toMatchObject({ status: "passed", passes: true });
    expect(gate.problems).toMatchObject([{ path: "e2e/old.scenario.md", line: 6, isNew: false }]);
    const check = lab.check(pull.headSha)!;
    expect(check).toMatchObject({
      conclusion: "success",
      annotations: [
        {
          ...{ path: "e2e/old.scenario.md", annotation_level: "warning" },
          title: "The scenario did not compile before this change either",
        },
      ],
    });
    expect(lab.comment(pull)).toContain("(the file did not compile before this change either)");
  });

  test("does not when the change touches that very file, or moves it", async () => {
    const touched = await judged({ "e2e/old.scenario.md": `${BROKEN}2. still too bad\n` });
    expect([touched.gate.status, told(touched.gate)]).toEqual(["passed", ["e2e/old.scenario.md"]]);
    const moved = await judged({ "e2e/old.scenario.md": null, "shop/old.scenario.md": BROKEN });
    expect([moved.gate.status, told(moved.gate)]).toEqual(["passed", ["shop/old.scenario.md"]]);
  });

  test("does not because the base branch mended it meanwhile", async () => {
    const pull = lab.host.openPull({ "e2e/spare.scenario.md": null });
    lab.files({ "e2e/old.scenario.md": scenarioFile("old", GO) });
    await lab.news("opened", pull);
    await lab.work();
    const gate = await lab.newest(pull);
    lab.files({ "e2e/old.scenario.md": BROKEN });
    expect([gate.status, told(gate)]).toEqual(["passed", ["e2e/old.scenario.md"]]);
  });

  test("is no reason to ask the host for the files of before when the change touches none", async () => {
    const asked = lab.host.requests.length;
    const { gate } = await judged({ "docs/a.md": "1" });
    expect([gate.status, told(gate)]).toEqual(["passed", ["e2e/old.scenario.md"]]);
    const trees = lab.host.requests.slice(asked).filter((request) => request.includes("/git/trees/"));
    expect(trees).toHaveLength(1);
  });
});

describe("a scenario file that compiled before, and does not now", () => {
  test("fails the gate with its line, beside what was broken before", async () => {
    const { pull, gate } = await judged({ "e2e/spare.scenario.md": scenarioFile("spare", ['go too "/"']) });
    expect(gate).toMatchObject({
      ...{ status: "failed", reason: "A scenario file of the commit does not compile." },
      problems: [
        { path: "e2e/spare.scenario.md", line: 6, isNew: true },
        { path: "e2e/old.scenario.md", isNew: false },
      ],
    });
    expect(gate.problems[0]!.message).toContain("too");
    const comment = lab.comment(pull);
    expect(comment).toContain("e2e/spare.scenario.md:6");
    expect(lab.check(pull.headSha)!.annotations).toMatchObject([
      { path: "e2e/spare.scenario.md", annotation_level: "failure" },
      { path: "e2e/old.scenario.md", annotation_level: "warning" },
    ]);
  });

  test("fails it though another file was changed: the one that it uses is gone, or is broken", async () => {
    const gone = await judged({ "e2e/login.scenario.md": null });
    expect([gone.gate.status, told(gone.gate)]).toEqual([
      "failed",
      ["e2e/pay.scenario.md!", "e2e/old.scenario.md"],
    ]);
    expect(gone.gate.reason).toBe("A scenario file of the commit does not compile.");
    const broken = await judged({ "e2e/login.scenario.md": scenarioFile("login", ['go too "/"']) });
    expect(broken.gate.reason).toBe("2 scenario files of the commit do not compile.");
    expect(told(broken.gate).toSorted()).toEqual([
      "e2e/login.scenario.md!",
      "e2e/old.scenario.md",
      "e2e/pay.scenario.md!",
    ]);
    // Its own problem is told once, and not once more with each file that uses it.
    expect(broken.gate.problems.filter(({ path }) => path === "e2e/login.scenario.md")).toHaveLength(1);
  });

  test("fails it though another file was added: one with the same slug", async () => {
    const { gate } = await judged({ "e2e/a.scenario.md": scenarioFile("spare", GO) });
    expect([gate.status, told(gate)]).toEqual(["failed", ["e2e/spare.scenario.md!", "e2e/old.scenario.md"]]);
  });

  test("is told before a hundred others that were broken already", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [`many/${at}.scenario.md`, scenarioFile(`m${at}`, ["go too"])]),
    );
    lab.host.repository.commit("many", many);
    const pull = lab.host.openPull({ "z.scenario.md": scenarioFile("z", ["go too"]) }, { baseRef: "many" });
    await lab.news("opened", pull);
    await lab.work();
    const gate = await lab.newest(pull);
    expect(gate.status).toBe("failed");
    expect(gate.problems[0]).toMatchObject({ path: "z.scenario.md", isNew: true });
    expect(gate.problems).toHaveLength(100);
  });

  test("fails it though the host names no commit at which the branch began", async () => {
    lab.host.fail(
      /\/compare\//,
      { status: 200, body: { files: [{ filename: "e2e/login.scenario.md" }] } },
      9,
    );
    const { gate } = await judged({ "e2e/login.scenario.md": null });
    expect([gate.status, told(gate)]).toEqual(["failed", ["e2e/pay.scenario.md!", "e2e/old.scenario.md"]]);
  });
});

describe("asked by CI for a repository that the server does not know", () => {
  const file = (path: string, text: string) => ({ path, text });
  const files = [
    file("old.scenario.md", BROKEN),
    file("pay.scenario.md", scenarioFile("pay", ['use "login"', ...GO])),
  ];
  let pr = 0;
  async function asked(body: Record<string, unknown>): Promise<GateAnswer> {
    const answer = await send(lab.app, "POST", "/v1/gates", {
      ...{ repo: "acme/elsewhere", pr: ++pr, head_sha: "a".repeat(40), base_sha: "b".repeat(40) },
      ...{ url: "http://127.0.0.1:9", files, ...body },
    });
    expect(answer.status).toBe(202);
    const { id } = (await answer.json()) as GateAnswer;
    await lab.work();
    return lab.gate(id);
  }

  test("the files of before come with the request: what it leaves out is as it is now, where the change does not name it", async () => {
    const changed = ["login.scenario.md"];
    const login = file("login.scenario.md", scenarioFile("login", GO));
    const gate = await asked({ changed, base_files: [login] });
    expect([gate.status, told(gate)]).toEqual(["failed", ["pay.scenario.md!", "old.scenario.md"]]);
    const before = await asked({ changed, base_files: [] });
    expect([before.status, told(before).toSorted()]).toEqual([
      "passed",
      ["old.scenario.md", "pay.scenario.md"],
    ]);
    const whole = await asked({ base_files: [...files, login] });
    expect(told(whole)).toEqual(["pay.scenario.md!", "old.scenario.md"]);
  });

  test("without them a change that touches a scenario file answers for all, and one that touches none for none", async () => {
    const touching = await asked({ changed: ["login.scenario.md"] });
    expect([touching.status, told(touching)]).toEqual(["failed", ["old.scenario.md!", "pay.scenario.md!"]]);
    expect(await asked({ changed: ["src/a.ts"] })).toMatchObject({ status: "passed" });
    expect(await asked({})).toMatchObject({ status: "failed" });
  });

  test("a path that is none, or twice the same, is refused by its field", async () => {
    for (const [path, said] of [
      ["../a.scenario.md", '"base_files.0.path"'],
      ["old.scenario.md", '"base_files" has "old.scenario.md" twice'],
    ] as const) {
      const answer = await send(lab.app, "POST", "/v1/gates", {
        ...{ repo: "acme/elsewhere", pr: 1, head_sha: "a".repeat(40), base_sha: "b".repeat(40) },
        base_files: [file(path, ""), file(path, "")],
      });
      expect([answer.status, await answer.text()]).toEqual([
        422,
        expect.stringContaining(JSON.stringify(said).slice(1, -1)),
      ]);
    }
  });
});
