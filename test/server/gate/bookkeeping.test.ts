import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CodeHostError } from "../../../server/gate/code-host/types.ts";
import { followPullRequest } from "../../../server/gate/flow/follow-host.ts";
import { type GateAnswer, GateItem } from "../../../server/gate/gates/model.ts";
import { planGate } from "../../../server/gate/plan/plan.ts";
import { tellGate } from "../../../server/gate/tell/tell.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import type { ModelPull } from "../../helpers/host-api/model.ts";
import { createRepository, type Repository } from "../../helpers/host-api/repository.ts";
import { runPeriodic } from "../../helpers/traces.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

// How gates are told of, listed and kept. Nothing is run here: what changes concerns no scenario.
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
let lab: GateLab;
/** A repository on this machine's disk, of the same name as the host's. */
let disk: Repository;
beforeAll(async () => {
  disk = createRepository();
  lab = await gateLab({
    codeHost: {
      preview_url_template: "http://127.0.0.1:9/{number}",
      repository_path: disk.folder,
    },
  });
  lab.files({ "home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n') });
});
afterEach(() => lab.host.mend());
afterAll(async () => {
  await lab.close();
  disk.close();
});

let changes = 0;
async function judged(): Promise<{ pull: ModelPull; gate: GateAnswer }> {
  const pull = lab.host.openPull({ "docs/a.md": String(++changes) });
  await lab.news("opened", pull);
  await lab.work();
  return { pull, gate: await lab.newest(pull) };
}

/** A commit of CI, with all that a gate needs. */
const sha = (): string => String(++changes).padStart(40, "c");
async function asked(body: Record<string, unknown>): Promise<GateAnswer> {
  const answer = await send(lab.app, "POST", "/v1/gates", {
    ...{ repo: "acme/ci", head_sha: sha(), base_sha: "b".repeat(40), changed: ["docs/a.md"], files: [] },
    ...body,
  });
  expect(answer.status).toBe(202);
  const { id } = (await answer.json()) as GateAnswer;
  await lab.work();
  return lab.gate(id);
}

const json = async <T>(path: string): Promise<T> => (await (await lab.app.api(path)).json()) as T;
const statusOf = async (path: string): Promise<number> => (await lab.app.api(path)).status;

/** Time goes by, and then all is done that is due. */
async function after(ms: number): Promise<void> {
  lab.app.clock.advance(ms);
  await lab.work();
}

describe("a decision that comes more than a day after its gate", () => {
  const press = (pull: ModelPull, gate: GateAnswer) =>
    lab.host.deliver(
      "check_run",
      lab.host.payload("check_run", "rerequested", {
        action: "requested_action",
        requested_action: { identifier: "reject" },
        sender: { login: "grace" },
        check_run: {
          ...{ id: lab.check(pull.headSha)!.id, head_sha: pull.headSha, external_id: gate.id },
          app: { id: lab.host.asApp.app_id },
        },
      }),
    );
  /** How often the host was asked to change a check run. */
  const changed = () => lab.host.requests.filter((one) => /^PATCH .*\/check-runs\//.test(one)).length;

  test("is told, once; where the host refuses to hear of it, it is asked again every half hour", async () => {
    const { pull, gate } = await judged();
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
    await after(25 * 60 * MINUTE_MS);
    const before = changed();
    lab.host.fail(/^PATCH .*\/check-runs\//, { status: 422 }, 1000);
    await press(pull, gate);
    await lab.work();
    expect(await lab.gate(gate.id)).toMatchObject({ decision: "rejected" });
    expect(changed() - before).toBe(1);
    await after(29 * MINUTE_MS);
    expect(changed() - before).toBe(1);
    await after(MINUTE_MS);
    expect(changed() - before).toBe(2);
    lab.host.mend();
    await after(29 * MINUTE_MS);
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: "success" });
    await after(MINUTE_MS);
    expect(lab.check(pull.headSha)).toMatchObject({ status: "completed", conclusion: "failure" });
    expect(changed() - before).toBe(3);
    for (let turn = 0; turn < 3; turn++) await after(31 * MINUTE_MS);
    expect(changed() - before).toBe(3);
  });

  test("is waited for no longer than a day by a host that goes on refusing", async () => {
    const { pull, gate } = await judged();
    lab.host.fail(/^PATCH .*\/check-runs\//, { status: 422 }, 1000);
    await press(pull, gate);
    await lab.work();
    await after(25 * 60 * MINUTE_MS);
    const before = changed();
    lab.host.mend();
    await after(31 * MINUTE_MS);
    expect(changed() - before).toBe(0);
  });
});

describe("a pull request", () => {
  const told = async ({ number }: ModelPull) =>
    (await lab.gates(`&pr=${number}`)).map(({ head_sha, status, attempt }) => [head_sha, status, attempt]);

  test("whose head goes back to a commit that was judged is judged again, and what came between is not", async () => {
    const { pull } = await judged();
    const first = pull.headSha;
    const second = lab.host.push(pull, { "src/a.ts": "1" });
    await lab.news("synchronize", pull);
    await lab.work();
    expect(await told(pull)).toEqual([
      [second, "waiting", 1],
      [first, "passed", 1],
    ]);
    lab.host.repository.setRef(`refs/heads/${pull.headRef}`, first);
    pull.headSha = first;
    await lab.news("synchronize", pull);
    await lab.work();
    expect(await told(pull)).toEqual([
      [first, "passed", 2],
      [second, "superseded", 1],
      [first, "passed", 1],
    ]);
    expect(lab.check(first)).toMatchObject({ conclusion: "success" });
    expect(lab.check(second)).toMatchObject({ conclusion: "cancelled" });
    await lab.news("synchronize", pull);
    await lab.work();
    expect(await told(pull)).toHaveLength(3);
  });

  test("that is pushed to twice in a second is judged at its last commit, whichever news is handled last", async () => {
    const { gateState } = lab.app.deps;
    const host = gateState.codeHost!;
    const pull = lab.host.openPull({ "docs/a.md": String(++changes) });
    const place = { orgId: lab.app.orgId, repository: lab.repository };
    let reads = 0;
    gateState.codeHost = {
      ...host,
      async pullRequest(number) {
        const read = await host.pullRequest(number);
        // Before this answer is used, another server hears of the next push and writes it down.
        if (++reads === 1) {
          lab.host.push(pull, { "docs/a.md": "last" });
          await followPullRequest(lab.app.deps, place, number, () => host.pullRequest(number));
        }
        return read;
      },
    };
    try {
      await lab.news("opened", pull);
      await lab.work();
    } finally {
      gateState.codeHost = host;
    }
    expect(await told(pull)).toEqual([[pull.headSha, "passed", 1]]);
    expect(reads).toBe(2);
  });

  test("whose host made the check and could not say so has none left open when another commit takes its place", async () => {
    const { gateState } = lab.app.deps;
    const host = gateState.codeHost!;
    const pull = lab.host.openPull({ "src/a.ts": String(++changes) });
    const first = pull.headSha;
    const place = { orgId: lab.app.orgId, repository: lab.repository };
    gateState.codeHost = {
      ...host,
      async createCheckRun(run) {
        const id = await host.createCheckRun(run);
        if (run.headSha !== first) return id;
        lab.host.push(pull, { "docs/a.md": String(++changes) });
        await followPullRequest(lab.app.deps, place, pull.number, () => host.pullRequest(pull.number));
        throw new CodeHostError("unreachable", "The connection was lost.");
      },
    };
    try {
      await lab.news("opened", pull);
      await lab.work();
    } finally {
      gateState.codeHost = host;
    }
    for (let minute = 0; minute < 5; minute++) await after(MINUTE_MS);
    expect(lab.check(first)).toMatchObject({ status: "completed", conclusion: "cancelled" });
    const checks = lab.host.model.checkRuns.filter(({ head_sha }) => head_sha === first);
    expect(checks).toHaveLength(1);
  });

  test("has the comment of its last commit, though that of the one before was written later", async () => {
    const { gateState } = lab.app.deps;
    const host = gateState.codeHost!;
    const broken = (line: string) => ({ "home.scenario.md": scenarioFile("home", [line]) });
    const pull = lab.host.openPull(broken("first"));
    const place = { orgId: lab.app.orgId, repository: lab.repository };
    let isFirst = true;
    gateState.codeHost = {
      ...host,
      async putComment(number, marker, body) {
        // While this comment is on its way, the next commit is judged and its comment is there.
        if (isFirst) {
          isFirst = false;
          lab.host.push(pull, broken("second"));
          await followPullRequest(lab.app.deps, place, number, () => host.pullRequest(number));
          const { id } = await lab.newest(pull);
          await planGate(lab.app.deps, id);
          await tellGate(lab.app.deps, id);
        }
        return host.putComment(number, marker, body);
      },
    };
    try {
      await lab.news("opened", pull);
      await lab.work();
    } finally {
      gateState.codeHost = host;
    }
    await after(MINUTE_MS);
    expect(isFirst).toBe(false);
    expect(lab.comment(pull)).toContain(pull.headSha.slice(0, 7));
  });

  test("is one, however CI and the settings write the name of its repository", async () => {
    const { pull, gate } = await judged();
    const asCi = await asked({ repo: "Acme/SHOP", pr: pull.number, head_sha: pull.headSha });
    expect(asCi).toMatchObject({ repo: "acme/shop", pull_request_id: gate.pull_request_id });
  });
});

test("a link that decides nothing is told in a page that runs nothing, is kept nowhere and tells nobody its address", async () => {
  const page = await lab.app.api("/v1/gate/decision?token=none", {
    headers: { authorization: "", accept: "text/html" },
  });
  expect(page.status).toBe(401);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
  });
  expect(await page.text()).toContain("<title>This link does not work · Tracedeck</title>");
});

describe("a list of gates", () => {
  test("says of each all that its page says, and keeps the files of requests to itself", async () => {
    const text = scenarioFile("listed", ['go to "/"']);
    const { id } = await asked({ pr: 1, files: [{ path: "listed.scenario.md", text }], url: lab.shop.url });
    const gate = await lab.gate(id);
    const keys = Object.keys(GateItem.properties);
    const expected = Object.fromEntries(keys.map((key) => [key, gate[key as keyof GateAnswer]]));
    const { items } = await json<{ items: GateAnswer[] }>("/v1/gates?limit=1");
    expect(items).toEqual([expected as never]);
    const list = await json<{ items: { id: string }[] }>("/v1/pull-requests?repo=acme/ci");
    expect(list.items).toMatchObject([{ gate: expected }]);
    const pull = await json<{ gates: unknown[] }>(`/v1/pull-requests/${gate.pull_request_id}`);
    expect(pull.gates).toEqual([expected]);
    // Judged again it has them all the same.
    const again = await send(lab.app, "POST", `/v1/gates/${id}/rerun`);
    const second = (await again.json()) as GateAnswer;
    await lab.work();
    expect(await lab.gate(second.id)).toMatchObject({ status: "passed", reason: gate.reason, attempt: 2 });
  });
});

describe("pull requests of which CI alone tells", () => {
  test("go with their gates when nothing was heard of them for long; an open one of the host stays with its newest", async () => {
    const { gate: ofHost } = await judged();
    const ofCi = await asked({ pr: 2 });
    await after(89 * DAY_MS);
    const later = await asked({ pr: 3 });
    await after(2 * DAY_MS);
    await runPeriodic(lab.app, "gates.prune");
    expect(await statusOf(`/v1/gates/${ofCi.id}`)).toBe(404);
    expect(await statusOf(`/v1/pull-requests/${ofCi.pull_request_id}`)).toBe(404);
    for (const { id, pull_request_id } of [ofHost, later]) {
      expect(await statusOf(`/v1/gates/${id}`)).toBe(200);
      expect(await statusOf(`/v1/pull-requests/${pull_request_id}`)).toBe(200);
    }
  });

  test("are open; one that the host has closed stays closed, whatever CI still asks for", async () => {
    const stateOf = async ({ pull_request_id }: GateAnswer) =>
      (await json<{ state: string }>(`/v1/pull-requests/${pull_request_id}`)).state;
    expect(await stateOf(await asked({ pr: 4 }))).toBe("open");
    const { pull, gate } = await judged();
    Object.assign(pull, { state: "closed", updatedAt: lab.app.clock.now() });
    await lab.news("closed", pull);
    await lab.work();
    const late = await asked({ repo: "acme/shop", pr: pull.number, head_sha: pull.headSha });
    expect(late.pull_request_id).toBe(gate.pull_request_id);
    expect(await stateOf(late)).toBe("closed");
  });
});

describe("what settings say of one repository", () => {
  const home = {
    path: "home.scenario.md",
    text: scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n'),
  };
  const given = { changed: ["src/a.ts"], files: [home] };

  test("is where its commits can be tried, and not where another's can", async () => {
    const own = await asked({ repo: "acme/shop", pr: 900, ...given });
    expect(own).toMatchObject({ status: "waiting", reason: "Nothing answers at http://127.0.0.1:9/900." });
    const other = await asked({ repo: "acme/other", pr: 900, ...given });
    expect(other).toMatchObject({
      ...{ status: "failed", base_url: null },
      reason: expect.stringContaining("Nobody says where the commit can be tried"),
    });
  });

  test("names no folder to read another's commits from, though the folder has them", async () => {
    const base = disk.commit("main", { "home.scenario.md": home.text });
    const head = disk.commit("change", { "docs/a.md": "1" });
    const gate = await asked({
      ...{ repo: "acme/other", pr: 901, head_sha: head, base_sha: base },
      ...{ files: undefined, changed: undefined },
    });
    expect(gate).toMatchObject({ status: "error", reason: expect.stringContaining("are not known") });
  });
});

describe("of the commits of a pull request, the newest has the gate, whatever the order of the reports:", () => {
  let pr = 500;
  const at = (minute: number) => new Date(lab.app.clock.now() - (60 - minute) * MINUTE_MS).toISOString();
  const shown = async (number: number, repo = "acme/late") => {
    const { items } = await json<{ items: { head_sha: string; gate: GateAnswer | null }[] }>(
      `/v1/pull-requests?repo=${repo}&number=${number}`,
    );
    return items[0]!;
  };

  test("CI's report of an older one comes late, while the newer is judged and after", async () => {
    pr++;
    const [older, newer] = [sha(), sha()];
    const newest = await asked({ repo: "acme/late", pr, head_sha: newer, head_at: at(20) });
    expect(newest.status).toBe("passed");
    const late = await asked({ repo: "acme/late", pr, head_sha: older, head_at: at(10) });
    expect(late).toMatchObject({
      status: "superseded",
      reason: `The commit ${newer.slice(0, 7)} took its place.`,
      passes: null,
    });
    expect(await shown(pr)).toMatchObject({ head_sha: newer, gate: { id: newest.id, status: "passed" } });
    const body = { repo: "acme/late", pr, base_sha: "b".repeat(40), changed: ["docs/a.md"], files: [] };
    const open = await send(lab.app, "POST", "/v1/gates", { ...body, head_sha: newer, head_at: at(20) });
    const { id } = (await open.json()) as GateAnswer;
    await send(lab.app, "POST", "/v1/gates", { ...body, head_sha: older, head_at: at(10) });
    await lab.work();
    expect(await lab.gate(id)).toMatchObject({ status: "passed", attempt: 2 });
    expect((await shown(pr)).gate?.id).toBe(id);
  });

  test("a job of an older one is started again, and CI tells no times", async () => {
    pr++;
    const [older, newer] = [sha(), sha()];
    const first = await asked({ repo: "acme/late", pr, head_sha: older });
    const second = await asked({ repo: "acme/late", pr, head_sha: newer });
    expect([first.status, second.status]).toEqual(["passed", "passed"]);
    expect((await asked({ repo: "acme/late", pr, head_sha: older })).status).toBe("superseded");
    expect((await shown(pr)).head_sha).toBe(newer);
    expect((await asked({ repo: "acme/late", pr, head_sha: newer })).status).toBe("passed");
  });

  test("what a force push brings back is the newest again, by its time", async () => {
    pr++;
    const [one, other] = [sha(), sha()];
    await asked({ repo: "acme/late", pr, head_sha: one, head_at: at(10) });
    await asked({ repo: "acme/late", pr, head_sha: other, head_at: at(20) });
    expect(await asked({ repo: "acme/late", pr, head_sha: one, head_at: at(30) })).toMatchObject({
      status: "passed",
      attempt: 2,
    });
    expect((await shown(pr)).head_sha).toBe(one);
  });

  test("a time in the future keeps no later commit from being judged, and one that is no time is refused", async () => {
    pr++;
    await asked({ repo: "acme/late", pr, head_at: "2999-01-01T00:00:00Z" });
    lab.app.clock.advance(MINUTE_MS);
    expect((await asked({ repo: "acme/late", pr, head_at: at(60) })).status).toBe("passed");
    const answer = await send(lab.app, "POST", "/v1/gates", {
      ...{ repo: "acme/late", pr, head_sha: sha(), base_sha: sha(), head_at: "yesterday" },
    });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("head_at")]);
  });

  test("where the code host tells of pull requests, it says which commit is the head", async () => {
    const { pull } = await judged();
    const before = pull.headSha;
    lab.host.push(pull, { "docs/b.md": String(++changes) });
    const body = {
      repo: "acme/shop",
      pr: pull.number,
      base_sha: lab.host.repository.head("main")!,
      files: [],
    };
    // The host's own news is still under way.
    const newest = await asked({ ...body, head_sha: pull.headSha, head_at: at(10) });
    expect(newest.status).toBe("passed");
    const late = await asked({ ...body, head_sha: before, head_at: at(20) });
    expect(late).toMatchObject({ status: "superseded" });
    expect((await shown(pull.number, "acme/shop")).head_sha).toBe(pull.headSha);
  });
});
