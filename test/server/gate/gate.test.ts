import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { marked } from "marked";
import { startShop } from "../../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { findTrace } from "../../../store/records/traces.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import { signedIn } from "../../helpers/org-people.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(180_000);

const MISSES = ['go to "/"', 'expect text "Nowhere @ada <b>#7</b>" within 200ms'];
let lab: GateLab;
beforeAll(async () => {
  lab = await gateLab({ config: { publicUrl: "https://traces.example.com" } });
  lab.files({
    "scenarios/home.scenario.md": scenarioFile(
      "home",
      ['go to "/"', 'expect text "Slow Mornings"'],
      'covers: ["src/home/**"]\n',
    ),
    "scenarios/gone.scenario.md": scenarioFile("gone", MISSES, 'covers: ["src/gone/**"]\n'),
    "scenarios/pay.scenario.md": scenarioFile(
      "pay",
      ['go to "/"', `expect text "\${secrets.CARD}" within 200ms`],
      'covers: ["src/pay/**"]\n',
    ),
    "src/home/a.ts": "1",
    "src/gone/a.ts": "1",
    "src/pay/a.ts": "1",
    "docs/a.md": "1",
  });
});
afterAll(() => lab.close());

/** A pull request with a preview, told of and judged. */
async function judged(files: Record<string, string>, more: { url?: string; headRepository?: string } = {}) {
  const { url = lab.shop.url, ...rest } = more;
  const pull = lab.host.openPull(files, rest);
  lab.host.deploy(pull.headSha, url);
  expect((await lab.news("opened", pull)).status).toBe(200);
  await lab.work();
  return { pull, gate: await lab.newest(pull) };
}

const linksIn = (comment: string): string[] =>
  [...comment.matchAll(/\((https:\/\/traces\.example\.com\/v1\/gate\/decision\?token=[^)]+)\)/g)].map(
    ([, link]) => link!.slice("https://traces.example.com".length),
  );

describe("a pull request", () => {
  test("is judged against its preview when that is there: check run, one comment, cause, picture, notice", async () => {
    const pull = lab.host.openPull({ "src/gone/a.ts": "2", "src/home/a.ts": "2" });
    await lab.news("opened", pull);
    await lab.work();
    const waiting = await lab.newest(pull);
    expect(waiting).toMatchObject({ status: "waiting", scenario_count: 2 });
    expect(lab.check(pull.headSha)).toMatchObject({ status: "in_progress", external_id: waiting.id });
    lab.host.deploy(pull.headSha, lab.shop.url);
    const deployed = lab.host.payload("deployment_status", null, {
      action: "created",
      deployment: { sha: pull.headSha, environment: "preview", production_environment: false },
      deployment_status: {
        ...{ state: "success", environment: "preview", environment_url: lab.shop.url },
        updated_at: new Date(lab.app.clock.now()).toISOString(),
      },
    });
    expect((await lab.host.deliver("deployment_status", deployed))!.status).toBe(200);
    await lab.work();
    const gate = await lab.gate(waiting.id);
    expect(gate).toMatchObject({ status: "failed", reason: "1 of 2 scenarios fails.", passes: false });
    const [gone, home] = gate.scenarios;
    expect(home).toMatchObject({ slug: "home", finding: { outcome: "passed", blocks: false } });
    expect(gone).toMatchObject({
      reasons: [{ path: "src/gone/a.ts", rule: "covers" }],
      finding: {
        ...{ outcome: "failed", blocks: true, known: [] },
        failed_step: { step_id: "s2", path: "scenarios/gone.scenario.md", line: 8 },
      },
    });
    const run = (await (await lab.app.api(`/v1/runs/${gone!.run_id}`)).json()) as Record<string, unknown>;
    expect(run).toMatchObject({
      ...{ type: "pr", affected_scenarios: ["gone", "home"], base_url: lab.shop.url },
      pr: { number: pull.number, head_sha: pull.headSha, base_sha: gate.base_sha, repo: "acme/shop" },
    });
    const trace = await (await lab.app.api(`/v1/traces/${gone!.finding!.trace_id}`)).json();
    expect(trace).toMatchObject({ pr_number: pull.number, code_sha: pull.headSha, source: "pr" });
    const listed = await (await lab.app.api("/v1/runs?repo=acme/shop")).json();
    expect((listed as { items: { id: string }[] }).items.map(({ id }) => id)).toContain(String(run.id));
    const check = lab.check(pull.headSha)!;
    expect(check).toMatchObject({ status: "completed", conclusion: "failure" });
    expect(check.annotations).toMatchObject([{ path: "scenarios/gone.scenario.md", start_line: 8 }]);
    const comment = lab.comment(pull);
    expect(comment).toStartWith("<!-- tracedeck-gate -->");
    expect(comment).toContain(`/traces/${gone!.finding!.trace_id}?step=s2`);
    // What the page and the scenario say is shown, and does nothing.
    const prose = comment.replace(/`[^`]+`/g, "");
    expect(prose).not.toContain("@ada");
    expect(prose).not.toContain("<b>");
    const html = await marked.parse(comment, { gfm: true });
    expect(html).not.toContain("<b>");
    const [, picture] = /<img src="https:\/\/traces\.example\.com([^"]+)"/.exec(comment)!;
    const shown = await lab.app.api(picture!, { headers: { authorization: "" } });
    expect([shown.status, shown.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^image\//),
    ]);
    const altered = await lab.app.api(`${picture}x`, { headers: { authorization: "" } });
    expect(altered.status).toBe(403);
    const notices = await lab.app.store.records
      .selectFrom("notices")
      .selectAll()
      .where("gate_id", "=", gate.id)
      .execute();
    expect(notices).toMatchObject([{ event: "gate.failed", run_id: gone!.run_id, channels: null }]);
  });

  test("that changes nothing a scenario is about passes at once, without a comment", async () => {
    const { pull, gate } = await judged({ "docs/a.md": "2" });
    expect(gate).toMatchObject({ status: "passed", passes: true, scenario_count: 0 });
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
    expect(lab.comment(pull)).toBe("");
  });

  test("told of twice, and by news that is late, is judged once", async () => {
    const pull = lab.host.openPull({ "docs/a.md": "3" });
    await lab.news("opened", pull);
    await lab.news("opened", pull);
    await lab.work();
    await lab.news("synchronize", pull);
    await lab.work();
    expect(await lab.gates(`&pr=${pull.number}`)).toHaveLength(1);
  });

  test("that gets a commit while the last one waits has that one superseded, and its queued runs are dropped", async () => {
    const pull = lab.host.openPull({ "src/home/a.ts": "4" });
    await lab.news("opened", pull);
    await lab.work();
    const [first] = await lab.gates(`&pr=${pull.number}`);
    const firstSha = pull.headSha;
    // Its runs are queued, and nobody carries them out yet.
    lab.host.deploy(firstSha, lab.shop.url);
    const { lookForAddress } = await import("../../../server/gate/plan/look.ts");
    await lookForAddress(lab.app.deps, first!.id, null);
    expect((await lab.gate(first!.id)).scenarios[0]!.run_status).toBe("queued");
    lab.host.push(pull, { "src/home/a.ts": "5" });
    lab.host.deploy(pull.headSha, lab.shop.url);
    const { followPullRequest } = await import("../../../server/gate/flow/follow-host.ts");
    const { dropRuns } = await import("../../../server/gate/flow/drop-runs.ts");
    const place = { orgId: lab.app.orgId, repository: lab.repository };
    await followPullRequest(lab.app.deps, place, pull.number, () =>
      lab.app.deps.gateState.codeHost!.pullRequest(pull.number),
    );
    await dropRuns(lab.app.deps, first!.id);
    await lab.work();
    const [second, before] = await lab.gates(`&pr=${pull.number}`);
    expect(before).toMatchObject({
      status: "superseded",
      scenarios: [{ run_status: "aborted", finding: null }],
    });
    expect(second).toMatchObject({ status: "passed", head_sha: pull.headSha, attempt: 1 });
    expect(lab.check(firstSha)).toMatchObject({ conclusion: "cancelled" });
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
    expect(lab.host.model.comments.filter(({ number }) => number === pull.number)).toHaveLength(1);
  });

  test("that is closed or a draft is not judged, and one that is ready is", async () => {
    const pull = lab.host.openPull({ "src/home/a.ts": "6" }, { isDraft: true });
    await lab.news("opened", pull);
    await lab.work();
    expect(await lab.gates(`&pr=${pull.number}`)).toEqual([]);
    Object.assign(pull, { isDraft: false, updatedAt: lab.app.clock.now() });
    await lab.news("ready_for_review", pull);
    await lab.work();
    expect(await lab.newest(pull)).toMatchObject({ status: "waiting" });
    Object.assign(pull, { state: "closed", updatedAt: lab.app.clock.now() });
    await lab.news("closed", pull);
    await lab.work();
    expect(await lab.newest(pull)).toMatchObject({
      status: "cancelled",
      reason: "The pull request was closed.",
    });
    expect(lab.check(pull.headSha)).toMatchObject({ status: "completed", conclusion: "cancelled" });
    const list = (await (await lab.app.api("/v1/pull-requests?state=closed")).json()) as {
      items: { number: number; gate: { status: string } }[];
    };
    expect(list.items).toMatchObject([{ number: pull.number, gate: { status: "cancelled" } }]);
  });

  test("that gets another base is judged anew", async () => {
    const pull = lab.host.openPull({ "docs/a.md": "7" });
    await lab.news("opened", pull);
    await lab.work();
    lab.host.repository.commit("next", { "docs/b.md": "1" }, { from: "main" });
    Object.assign(pull, { baseRef: "next", updatedAt: lab.app.clock.now() });
    await lab.news("edited", pull, { changes: { base: { ref: { from: "main" }, sha: { from: "x" } } } });
    await lab.work();
    expect(await lab.gates(`&pr=${pull.number}`)).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
  });

  test("that nobody deploys waits ten minutes, and has then failed", async () => {
    const pull = lab.host.openPull({ "src/home/a.ts": "8" });
    await lab.news("opened", pull);
    await lab.work();
    for (let minute = 0; minute < 11; minute++) {
      lab.app.clock.advance(60_000);
      await lab.work();
    }
    expect(await lab.newest(pull)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("nothing to run against within 10 minutes"),
    });
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "failure" });
  });

  test("with a scenario that does not compile has failed, and the line says why", async () => {
    const { pull, gate } = await judged({
      "scenarios/home.scenario.md": scenarioFile("home", ['go too "/"']),
    });
    expect(gate).toMatchObject({
      status: "failed",
      problems: [{ path: "scenarios/home.scenario.md", line: 6, isNew: true }],
      scenario_count: 0,
    });
    expect(lab.check(pull.headSha)).toMatchObject({
      conclusion: "failure",
      annotations: [{ path: "scenarios/home.scenario.md", start_line: 6, annotation_level: "failure" }],
    });
  });

  test("is run as its head has the scenarios, not as they were loaded", async () => {
    const { gate } = await judged({
      "scenarios/home.scenario.md": scenarioFile("home", ['go to "/"', 'expect text "Hand grinder"']),
      "scenarios/new.scenario.md": scenarioFile("new", ['go to "/"']),
    });
    expect(gate).toMatchObject({
      status: "passed",
      scenarios: [
        { slug: "home", reasons: [{ path: "scenarios/home.scenario.md", rule: "scenario_file" }] },
        { slug: "new", reasons: [{ rule: "scenario_file" }] },
      ],
    });
  });
});

describe("recorded answers", () => {
  const har = (status: number, text = "") =>
    JSON.stringify({
      log: {
        entries: [
          {
            request: { method: "GET", url: "https://rates.test/eur" },
            response: { status, headers: [], content: { text, mimeType: "text/plain" } },
          },
        ],
      },
    });
  const rated = (slug: string, status: number) =>
    scenarioFile(
      slug,
      [`request GET "https://rates.test/eur" status ${status}`],
      'clones: [{ service: record, match: "https://rates.test/**", har: answers/rates.har }]\n',
    );
  const files = (slug: string, recorded: string | null, status = 202) => ({
    [`${slug}/${slug}.scenario.md`]: rated(slug, status),
    ...(recorded !== null && { [`${slug}/answers/rates.har`]: recorded }),
  });
  const stranger = { headRepository: "stranger/shop" };

  test("of the commit itself are what its scenario's clones answer from, of a fork's as well", async () => {
    for (const more of [{}, stranger]) {
      const { gate } = await judged(files("rated", har(202)), more);
      expect(gate).toMatchObject({ status: "passed", scenarios: [{ slug: "rated", withheld: null }] });
      const trace = await findTrace(lab.app.store.records, gate.scenarios[0]!.finding!.trace_id!);
      // It stands with the trace: the run goes before it does.
      expect(trace).toMatchObject({ by_strangers: more === stranger ? 1 : 0 });
    }
  });

  test("of the commit count before those that were synced, and a change of them concerns the scenario", async () => {
    const synced = await lab.app.api("/v1/scenarios/sync", {
      method: "POST",
      body: JSON.stringify({
        files: [{ path: "kept/kept.scenario.md", text: rated("kept", 201) }],
        recordings: [{ path: "kept/answers/rates.har", text: har(201) }],
      }),
    });
    expect(synced.status).toBe(200);
    expect((await judged(files("kept", null, 201))).gate).toMatchObject({ status: "passed" });
    // A request that sends no recordings, of a commit that the host does not have.
    const [path, text] = Object.entries(files("kept", null, 201))[0]!;
    const asked = await send(lab.app, "POST", "/v1/gates", {
      ...{ repo: "acme/shop", pr: 9000, head_sha: "d".repeat(40), base_sha: "e".repeat(40) },
      ...{ url: lab.shop.url, changed: [path], files: [{ path, text }] },
    });
    await lab.work();
    expect(await lab.gate(((await asked.json()) as GateAnswer).id)).toMatchObject({ status: "passed" });
    lab.files(files("kept", har(201), 202));
    const { gate } = await judged({ "kept/answers/rates.har": har(202) });
    expect(gate).toMatchObject({
      status: "passed",
      scenarios: [{ slug: "kept", reasons: [{ path: "kept/answers/rates.har", rule: "scenario_file" }] }],
    });
    lab.files({ "kept/kept.scenario.md": null, "kept/answers/rates.har": null });
    // What the org has synced is none of a fork's.
    const fork = await judged(files("kept", null, 201), stranger);
    expect(fork.gate.scenarios).toMatchObject([
      {
        slug: "kept",
        run_id: null,
        withheld: expect.stringContaining("code of a fork gets none but its own"),
      },
    ]);
  });

  test("that are nowhere, are none or are too large have the scenario not run, and the gate says what it needs", async () => {
    for (const [recorded, why] of [
      [null, "tracedeck scenarios sync"],
      ["{}", "no HAR that could be answered from: it has no log.entries"],
      [har(200, "x".repeat(9 << 20)), "bytes"],
    ] as const) {
      const { gate } = await judged(files("rated", recorded));
      expect(gate).toMatchObject({ status: "failed", reason: expect.stringContaining(why) });
      expect(gate.scenarios).toMatchObject([
        { slug: "rated", run_id: null, withheld: expect.stringContaining(why) },
      ]);
    }
  });

  test("come with a request of CI as its files do, and again when the commit is judged anew", async () => {
    const [[path, text], [name, recorded]] = Object.entries(files("rated", har(202))) as [
      [string, string],
      [string, string],
    ];
    const asked = await send(lab.app, "POST", "/v1/gates", {
      ...{ repo: "acme/ci", pr: 1, head_sha: "a".repeat(40), base_sha: "b".repeat(40), url: lab.shop.url },
      ...{ changed: [name], files: [{ path, text }], recordings: [{ path: name, text: recorded }] },
    });
    expect(asked.status).toBe(202);
    const { id } = (await asked.json()) as GateAnswer;
    await lab.work();
    expect(await lab.gate(id)).toMatchObject({ status: "passed", scenarios: [{ slug: "rated" }] });
    const again = (await (await send(lab.app, "POST", `/v1/gates/${id}/rerun`)).json()) as GateAnswer;
    await lab.work();
    expect(await lab.gate(again.id)).toMatchObject({ status: "passed", attempt: 2 });
  });
});

describe("code of a fork", () => {
  test("gets no secrets: what needs them is not run, and no link to decide stands in the comment", async () => {
    await lab.app.api("/v1/secrets/CARD", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ value: "Slow Mornings" }),
    });
    const { pull, gate } = await judged(
      { "src/pay/a.ts": "2" },
      { headRepository: "stranger/shop", url: lab.shop.url },
    );
    expect(gate).toMatchObject({ status: "failed", is_fork: true });
    expect(gate.scenarios).toMatchObject([
      { slug: "pay", withheld: expect.stringContaining("CARD"), run_id: null },
    ]);
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "action_required" });
    expect(linksIn(lab.comment(pull))).toEqual([]);
    const own = await judged({ "src/pay/a.ts": "3" });
    expect(own.gate).toMatchObject({ status: "passed" });
  });

  test("reaches no private address, whatever its scenarios say", async () => {
    const { gate } = await judged({ "src/home/a.ts": "9" }, { headRepository: "stranger/shop" });
    expect(gate.scenarios[0]!.finding).toMatchObject({ outcome: expect.not.stringMatching("passed") });
    expect(gate.passes).toBe(false);
  });
});

describe("a failure that is not the commit's", () => {
  test("is said to fail on the base commit too, and does not fail the gate", async () => {
    const base = lab.host.repository.head("main")!;
    lab.host.deploy(base, lab.shop.url);
    const other = startShop();
    try {
      const { pull, gate } = await judged({ "src/gone/a.ts": "20" }, { url: other.url });
      expect(gate.scenarios[0]).toMatchObject({
        finding: { outcome: "failed", blocks: false, known: [{ kind: "base", is_same: true }] },
      });
      expect(gate).toMatchObject({ status: "passed", passes: true, failed_count: 1 });
      expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
      expect(lab.comment(pull)).toContain("It also fails on the base commit, in the same way.");
    } finally {
      await other.stop();
    }
  });
});

describe("a decision", () => {
  const open = (link: string, method = "GET", accept = "text/html") =>
    lab.app.api(link, { method, headers: { authorization: "", accept } });

  test("by a link is shown first and made once; both links are used up with it", async () => {
    const { pull, gate } = await judged({
      "src/gone/a.ts": "30",
      "scenarios/gone.scenario.md": scenarioFile("gone", ['go to "/"', 'expect text "Never" within 100ms']),
    });
    expect(gate.status).toBe("failed");
    const [approve, reject] = linksIn(lab.comment(pull)) as [string, string];
    const shown = await open(approve);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('<form method="post"')]);
    expect((await lab.gate(gate.id)).decision).toBeNull();
    const foreign = await lab.app.api(approve, {
      method: "POST",
      headers: { authorization: "", accept: "text/html", origin: "https://elsewhere.example" },
    });
    expect(foreign.status).toBe(403);
    const [one, two] = await Promise.all([open(approve, "POST"), open(reject, "POST")]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
    for (const link of [approve, reject])
      for (const method of ["GET", "POST"]) expect((await open(link, method)).status).toBe(409);
    expect(await (await open(approve, "GET", "application/json")).json()).toMatchObject({
      error: "conflict",
    });
    await lab.work();
    const decided = await lab.gate(gate.id);
    const isApproved = decided.decision === "approved";
    expect(decided.passes).toBe(isApproved);
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: isApproved ? "success" : "failure" });
    expect(lab.check(pull.headSha)!.annotations).toHaveLength(1);
    expect(lab.comment(pull)).toContain("by whoever opened the link in the comment");
    expect(linksIn(lab.comment(pull))).toEqual([]);
    const { items } = (await (await lab.app.api("/v1/audit-events?limit=50")).json()) as {
      items: { action: string; target: string; detail: Record<string, unknown> }[];
    };
    expect(
      items.filter(({ action, target }) => action === "gate.decide" && target === gate.id),
    ).toMatchObject([{ detail: { decision: decided.decision, jti: expect.any(String) } }]);
  });

  test("by a link that has ended, was altered, or is for a commit that is not judged any more is refused", async () => {
    const { pull, gate } = await judged({
      "scenarios/gone.scenario.md": scenarioFile("gone", ['go to "/"', 'expect text "Ever" within 100ms']),
    });
    const [approve] = linksIn(lab.comment(pull)) as [string];
    const [head, body, signature] = approve.split("token=")[1]!.split(".");
    const claims = JSON.parse(Buffer.from(body!, "base64url").toString()) as Record<string, number>;
    expect(Object.keys(claims).sort()).toEqual(["act", "aud", "exp", "iat", "iss", "jti", "org", "sub"]);
    expect(claims.exp! - claims.iat!).toBe(3600);
    const forged = Buffer.from(JSON.stringify({ ...claims, act: "reject" })).toString("base64url");
    expect((await open(`/v1/gate/decision?token=${head}.${forged}.${signature}`, "POST")).status).toBe(401);
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    expect((await open(`/v1/gate/decision?token=${none}.${body}.`, "POST")).status).toBe(401);
    lab.app.clock.advance(61 * 60_000);
    expect((await open(approve, "POST")).status).toBe(401);
    expect((await lab.gate(gate.id)).decision).toBeNull();
    const owner = await signedIn(lab.app, { userId: lab.app.userId });
    const decided = await owner.send("POST", `/v1/gates/${gate.id}/decision`, { decision: "reject" });
    expect(decided).toMatchObject({ status: 200, body: { decision: "rejected", decided_by: "Owner" } });
    const key = await lab.app.api(`/v1/gates/${gate.id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve" }),
    });
    expect(key.status).toBe(403);
  });
});

describe("checks that are asked for otherwise", () => {
  test("a merge group is judged and always reported", async () => {
    const head = lab.host.repository.commit(
      "gh-readonly-queue/main/pr-1-x",
      { "docs/q.md": "1" },
      { from: "main" },
    );
    const group = lab.host.payload("merge_group", "checks_requested", {
      merge_group: {
        head_sha: head,
        head_ref: "refs/heads/gh-readonly-queue/main/pr-1-x",
        base_sha: lab.host.repository.head("main"),
        base_ref: "refs/heads/main",
      },
    });
    expect((await lab.host.deliver("merge_group", group))!.status).toBe(200);
    await lab.work();
    expect(lab.check(head)).toMatchObject({ status: "completed", conclusion: "success" });
    const [gate] = await lab.gates(`&head=${head}`);
    expect(gate).toMatchObject({
      kind: "merge_group",
      pr_number: 1,
      pull_request_id: null,
      status: "passed",
    });
  });

  test("run again at the host makes a new attempt, and asking while it goes on makes none", async () => {
    const { pull, gate } = await judged({ "docs/a.md": "40" });
    const check = lab.check(pull.headSha)!;
    const again = lab.host.payload("check_run", "rerequested", {
      check_run: {
        ...{ id: check.id, head_sha: pull.headSha, external_id: gate.id, app: { id: lab.host.asApp.app_id } },
        completed_at: new Date(lab.app.clock.now()).toISOString(),
      },
    });
    await lab.host.deliver("check_run", again);
    await lab.host.deliver("check_run", again);
    await lab.work();
    expect(await lab.gates(`&pr=${pull.number}`)).toMatchObject([
      { attempt: 2, trigger: "rerequested", status: "passed" },
      { attempt: 1, status: "passed" },
    ]);
  });
});

test("a button of the check run decides, by the name of whoever pressed it, once", async () => {
  const { pull, gate } = await judged({ "docs/a.md": "41" });
  expect(lab.check(pull.headSha)!.writes.at(-1)).toMatchObject({ actions: [{ identifier: "reject" }] });
  const press = (identifier: string) =>
    lab.host.deliver(
      "check_run",
      lab.host.payload("check_run", "rerequested", {
        action: "requested_action",
        requested_action: { identifier },
        sender: { login: "grace" },
        check_run: {
          ...{ id: lab.check(pull.headSha)!.id, head_sha: pull.headSha, external_id: gate.id },
          app: { id: lab.host.asApp.app_id },
          completed_at: new Date(lab.app.clock.now()).toISOString(),
        },
      }),
    );
  await press("reject");
  await press("approve");
  await lab.work();
  expect(await lab.gate(gate.id)).toMatchObject({ decision: "rejected", decided_by: "grace", passes: false });
  expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "failure" });
  expect(lab.check(pull.headSha)!.writes.at(-1)).toMatchObject({ actions: [] });
});

describe("a fault that is ours", () => {
  test("never passes: a host that cannot be read, a run that was lost", async () => {
    const pull = lab.host.openPull({ "docs/a.md": "50" });
    lab.host.fail(/\/compare\//, { status: 500 }, 100);
    await lab.news("opened", pull);
    for (let turn = 0; turn < 10; turn++) {
      await lab.work();
      lab.app.clock.advance(31_000);
    }
    const gate = await lab.newest(pull);
    expect(gate).toMatchObject({ status: "error", passes: false });
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "failure" });
    expect(gate.reason).toStartWith("The commit could not be read:");
  });
});

test("nobody of another org sees, decides or asks for any of it, nor reads the repository by a gate of its own", async () => {
  const { gate } = await judged({ "docs/a.md": "60" });
  const { createOrg } = await import("../../../server/identity/orgs.ts");
  const { api_key, org_id } = await createOrg(lab.app.deps, "other");
  const call = (method: string, path: string, body?: unknown) =>
    lab.app.api(path, {
      method,
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  for (const path of [
    `/v1/gates/${gate.id}`,
    `/v1/gates/${gate.id}/report`,
    `/v1/pull-requests/${gate.pull_request_id}`,
  ])
    expect([path, (await call("GET", path)).status]).toEqual([path, 403]);
  expect((await call("POST", `/v1/gates/${gate.id}/rerun`)).status).toBe(403);
  for (const path of ["/v1/gates", "/v1/pull-requests"])
    expect(await (await call("GET", path)).json()).toMatchObject({ items: [] });
  // The settings' code host is the first org's, also for whoever names its repository.
  const requests = lab.host.requests.length;
  const asked = await call("POST", "/v1/gates", {
    ...{ repo: "acme/shop", pr: gate.pr_number, head_sha: gate.head_sha, base_sha: gate.base_sha },
  });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as { id: string };
  await lab.work();
  const theirs = (await (await call("GET", `/v1/gates/${id}`)).json()) as { status: string; reason: string };
  expect(theirs).toMatchObject({ status: "error", reason: expect.stringContaining("are not known") });
  expect(lab.host.requests.slice(requests)).toEqual([]);
  const nameless = await call("POST", "/v1/gates", {
    pr: 1,
    head_sha: gate.head_sha,
    base_sha: gate.base_sha,
  });
  expect([nameless.status, await nameless.json()]).toEqual([
    422,
    expect.objectContaining({ error: "validation_failed" }),
  ]);
  expect(org_id).not.toBe(lab.app.orgId);
});
