import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { createBlobCache } from "../../../server/gate/code-host/blob-cache.ts";
import { createCodeHost } from "../../../server/gate/code-host/code-host.ts";
import { cutBytes } from "../../../server/gate/code-host/limits.ts";
import { codeHostSettings } from "../../../server/gate/code-host/settings.ts";
import { type CheckRun, type CodeHost, CodeHostError } from "../../../server/gate/code-host/types.ts";
import { SettingsSchema } from "../../../store/settings-schema.ts";
import { createTestClock, type TestClock } from "../../helpers/app.ts";
import { type HostApi, startHostApi } from "../../helpers/host-api/host-api.ts";

let clock: TestClock;
let host: HostApi;
let client: CodeHost;
beforeEach(() => {
  clock = createTestClock();
  host = startHostApi({ now: clock.now });
  client = clientOf(host.asApp);
});
afterEach(() => host.close());

function clientOf(given: Record<string, unknown>): CodeHost {
  const { code_host } = Value.Default(SettingsSchema, { code_host: given }) as { code_host: never };
  return createCodeHost(codeHostSettings(code_host)!, clock);
}

/** How a request was refused. */
async function refused(asked: Promise<unknown>): Promise<CodeHostError> {
  const error = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CodeHostError);
  return error as CodeHostError;
}

const RUN: CheckRun = { name: "Tracedeck", status: "queued", title: "Waits", summary: "Nothing yet." };

describe("who asks", () => {
  test("an app gets one token for many requests, and the next shortly before that ends", async () => {
    const asked = () => host.requests.filter((one) => one.endsWith("/access_tokens")).length;
    await Promise.all([client.openPullRequests(), client.openPullRequests()]);
    expect(asked()).toBe(1);
    clock.advance(54 * 60_000);
    await client.openPullRequests();
    expect(asked()).toBe(1);
    clock.advance(2 * 60_000);
    await client.openPullRequests();
    expect(asked()).toBe(2);
  });

  test("an app whose token was withdrawn, or that was installed anew, gets another", async () => {
    await client.openPullRequests();
    host.withdrawTokens();
    expect(await client.openPullRequests()).toEqual([]);
    host.withdrawTokens({ reinstalled: true });
    expect(await client.openPullRequests()).toEqual([]);
  });

  test("a plain token asks as whom it belongs to, and is told that only an app reports checks", async () => {
    const person = clientOf(host.asToken);
    expect(await person.openPullRequests()).toEqual([]);
    expect(await person.deliveriesSince(0)).toEqual([]);
    const error = await refused(person.createCheckRun({ ...RUN, headSha: host.repository.head("main")! }));
    expect(error).toMatchObject({ kind: "unauthorized" });
    expect(error.message).toContain("You must authenticate via a GitHub App.");
  });

  test("a token that the host does not know, and a key that is none, are said without being shown", async () => {
    const stranger = await refused(clientOf({ ...host.asToken, token: "ghp_stolen" }).openPullRequests());
    expect(stranger).toMatchObject({ kind: "unauthorized", isCredential: true });
    expect(stranger.message).not.toContain("ghp_stolen");
    const broken = await refused(clientOf({ ...host.asApp, private_key: "swordfish" }).openPullRequests());
    expect(broken).toMatchObject({ kind: "not_configured" });
    expect(broken.message).not.toContain("swordfish");
  });

  test("a host that says the credential back is not quoted", async () => {
    host.fail(/pulls/, { status: 422, body: { message: `no ${host.asToken.token}` } });
    const error = await refused(clientOf(host.asToken).openPullRequests());
    expect(error.message).not.toContain(host.asToken.token);
  });

  test("a key is taken in either form, and on one line", async () => {
    const { createPrivateKey } = await import("node:crypto");
    const pkcs8 = createPrivateKey(host.asApp.private_key)
      .export({ type: "pkcs8", format: "pem" })
      .toString();
    for (const private_key of [pkcs8, pkcs8.replaceAll("\n", "\\n")])
      expect(await clientOf({ ...host.asApp, private_key }).openPullRequests()).toEqual([]);
  });

  test("settings without a repository or a credential lead to no host", () => {
    const of = (given: Record<string, unknown>) =>
      codeHostSettings(
        (Value.Default(SettingsSchema, { code_host: given }) as { code_host: never }).code_host,
      );
    expect(of({})).toBeNull();
    expect(of({ repository: "acme/shop" })).toBeNull();
    expect(of({ repository: "acme/shop", app_id: 1 })).toBeNull();
    expect(of({ repository: "acme/shop", app_id: 1, token: "t" })?.credentials).toEqual({
      kind: "token",
      token: "t",
    });
  });
});

describe("a host that does not answer well", () => {
  test("limits are kept: nothing is asked until they end", async () => {
    host.fail(/pulls/, { status: 403, headers: { "retry-after": "90" } });
    expect(await refused(client.openPullRequests())).toMatchObject({
      kind: "limited",
      retryAt: clock.now() + 90_000,
    });
    const before = host.requests.length;
    expect(await refused(client.pullRequest(1))).toMatchObject({
      kind: "limited",
      retryAt: clock.now() + 90_000,
    });
    expect(host.requests).toHaveLength(before);
    clock.advance(91_000);
    expect(await client.openPullRequests()).toEqual([]);
  });

  test("the allowance of an hour, the secondary limit and a bare 429 are limits; another 403 is none", async () => {
    const seconds = Math.floor(clock.now() / 1000) + 600;
    const cases: [number, Record<string, string>, unknown, number | null][] = [
      [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(seconds) }, {}, 600_000],
      [403, {}, { message: "You have exceeded a secondary rate limit." }, 60_000],
      [429, {}, {}, 60_000],
      [403, {}, { message: "Resource not accessible by integration" }, null],
    ];
    for (const [status, headers, body, waits] of cases) {
      const fresh = clientOf(host.asApp);
      host.fail(/pulls/, { status, headers, body });
      const error = await refused(fresh.openPullRequests());
      expect(error).toMatchObject(
        waits === null ? { kind: "unauthorized" } : { kind: "limited", retryAt: clock.now() + waits },
      );
    }
  });

  test("a limit far ahead, as of a clock that jumped, holds two hours at most", async () => {
    host.fail(/pulls/, { status: 429, headers: { "retry-after": "999999999" } });
    // Whoever waits for it comes back.
    expect(await refused(client.openPullRequests())).toMatchObject({
      retryAt: clock.now() + 2 * 60 * 60_000,
    });
    clock.advance(2 * 60 * 60_000 + 1);
    expect(await client.openPullRequests()).toEqual([]);
  });

  test("each way to fail has its name", async () => {
    const kinds: [number, CodeHostError["kind"]][] = [
      [500, "unreachable"],
      [502, "unreachable"],
      [404, "not_found"],
      [409, "conflict"],
      [422, "refused"],
      [418, "refused"],
    ];
    for (const [status, kind] of kinds) {
      host.fail(/pulls/, { status });
      expect(await refused(client.openPullRequests())).toMatchObject({ kind });
    }
    const nobody = clientOf({ ...host.asApp, api_url: "http://127.0.0.1:9" });
    expect(await refused(nobody.openPullRequests())).toMatchObject({ kind: "unreachable" });
  });

  test("an answer that is no JSON, has another shape or never ends being long is refused in words", async () => {
    let answer = () => new Response("<html>");
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => answer() });
    const odd = () =>
      clientOf({ ...host.asToken, api_url: `http://127.0.0.1:${server.port}` }).pullRequest(1);
    expect((await refused(odd())).message).toContain(
      'Is "code_host.api_url" of settings.json the address of the API?',
    );
    answer = () => Response.json({ number: 1 });
    expect((await refused(odd())).message).toContain('without "/title"');
    answer = () => new Response(new Uint8Array(9 * 1024 * 1024));
    expect((await refused(odd())).message).toContain("more than we read");
  });

  test("a redirect on the host itself is followed; elsewhere the credential does not go", async () => {
    const seen: string[] = [];
    using elsewhere = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        seen.push(request.headers.get("authorization") ?? "");
        return Response.json([]);
      },
    });
    let to = "/moved";
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) =>
        request.url.endsWith("/moved")
          ? Response.json([])
          : new Response("", { status: 301, headers: { location: to } }),
    });
    const moved = clientOf({ ...host.asToken, api_url: `http://127.0.0.1:${server.port}` });
    expect(await moved.openPullRequests()).toEqual([]);
    to = `http://127.0.0.1:${elsewhere.port}/`;
    expect((await refused(moved.openPullRequests())).message).toContain("redirect");
    to = "/again";
    expect((await refused(moved.openPullRequests())).message).toContain("redirect");
    expect(seen).toEqual([]);
  });
});

describe("reading", () => {
  test("pull requests come as they stand, forks and their deletion told", async () => {
    const own = host.openPull({ "a.txt": "1" });
    host.openPull({ "b.txt": "1" }, { headRepository: "eve/shop", isDraft: true });
    host.openPull({ "c.txt": "1" }, { headRepository: null });
    host.openPull({ "d.txt": "1" }, { state: "closed", isMerged: true });
    const open = await client.openPullRequests();
    expect(open.map((one) => [one.number, one.isFork, one.isDraft, one.headRepository])).toEqual([
      [3, true, false, null],
      [2, true, true, "eve/shop"],
      [1, false, false, "acme/shop"],
    ]);
    expect(await client.pullRequest(4)).toMatchObject({ state: "closed", isMerged: true, baseRef: "main" });
    expect(await client.pullRequest(1)).toMatchObject({ headSha: own.headSha, updatedAt: clock.now() });
    expect(await refused(client.pullRequest(99))).toMatchObject({ kind: "not_found" });
  });

  test("three hundred open ones are listed and no more; those of a commit are found in forks too", async () => {
    const first = host.openPull({ "a.txt": "1" }, { headRepository: "eve/shop" });
    for (let i = 0; i < 301; i++)
      host.model.pulls.push({ ...first, number: 1000 + i, headSha: String(i).padStart(40, "0") });
    expect(await client.openPullRequests()).toHaveLength(300);
    const second = host.openPull({ "b.txt": "1" }, { headRepository: "eve/shop" });
    expect(await client.pullRequestsOf(second.headSha)).toMatchObject([{ number: second.number }]);
    const third = host.openPull({ "c.txt": "1" });
    expect(await client.pullRequestsOf(third.headSha)).toMatchObject([{ number: third.number }]);
  });

  test("changed files are those since the merge base, with both names of a renamed one; 300 are a cut list", async () => {
    const long = "line\n".repeat(50);
    host.repository.commit("main", { "old.md": long, "gone.md": "x" });
    const pull = host.openPull({ "old.md": null, "new.md": long, "gone.md": null, "ü b.md": "1" });
    host.repository.commit("main", { "later.md": "not of the pull request" });
    const changed = await client.changedFiles(host.repository.head("main")!, pull.headSha);
    expect(changed.isCut).toBe(false);
    expect(changed.paths.sort()).toEqual(["gone.md", "new.md", "old.md", "ü b.md"]);
    const many = host.openPull(
      Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`many/${i}.txt`, "1"])),
    );
    expect(await client.changedFiles(host.repository.head("main")!, many.headSha)).toMatchObject({
      isCut: true,
    });
  });

  test("files of a commit are read once, and bounded by number", async () => {
    const sha = host.repository.commit("main", {
      "s/a.scenario.md": "# Ä",
      "s/b.scenario.md": "# B",
      "c.txt": "",
    });
    const wanted = (path: string) => path.endsWith(".scenario.md");
    const files = await client.filesAt(sha, wanted, 10);
    expect(files).toEqual([
      { path: "s/a.scenario.md", text: "# Ä" },
      { path: "s/b.scenario.md", text: "# B" },
    ]);
    const blobs = () => host.requests.filter((one) => one.includes("/git/blobs/")).length;
    expect(blobs()).toBe(2);
    await client.filesAt(sha, wanted, 10);
    expect(blobs()).toBe(2);
    expect((await refused(client.filesAt(sha, wanted, 1))).message).toContain("2 such files; 1 are taken");
    expect(await refused(client.filesAt("0".repeat(40), wanted, 1))).toMatchObject({ kind: "not_found" });
  });

  test("a tree that the host cuts is read folder by folder", async () => {
    const sha = host.repository.commit("main", { "a/b/x.md": "1", "a/y.md": "2", "z.md": "3" });
    const tree = host.repository.treeOf(sha)!;
    const body = { sha: tree, url: "x", truncated: true, tree: [] };
    host.fail(new RegExp(`git/trees/${tree}$`), { status: 200, body });
    const files = await client.filesAt(sha, (path) => path !== "README.md", 10);
    expect(files.map(({ path }) => path).sort()).toEqual(["a/b/x.md", "a/y.md", "z.md"]);
  });

  test("a preview is the newest successful deployment that is no production", async () => {
    const sha = host.repository.head("main")!;
    expect(await client.previewUrl(sha)).toBeNull();
    host.deploy(sha, "https://old.preview.example");
    host.deploy(sha, "https://new.preview.example");
    host.deploy(sha, null);
    host.deploy(sha, "https://broken.preview.example", { state: "failure" });
    host.deploy(sha, "https://shop.example", { isProduction: true });
    expect(await client.previewUrl(sha)).toBe("https://new.preview.example");
  });
});

describe("writing", () => {
  test("a check run is made and completed; texts are cut to what the host takes, annotations come in fifties", async () => {
    const annotations = Array.from({ length: 120 }, (_, i) => ({
      ...{ path: "s/a.scenario.md", line: i + 1, level: "failure" as const },
      ...{ title: "T".repeat(300), message: `No ${i}` },
    }));
    const headSha = host.repository.head("main")!;
    const id = await client.createCheckRun({ ...RUN, headSha, externalId: "gate-1", annotations });
    await client.updateCheckRun(id, {
      ...RUN,
      status: "completed",
      conclusion: "failure",
      summary: "🙂".repeat(40_000),
      text: "x".repeat(70_000),
    });
    const [run] = host.model.checkRuns;
    expect(run).toMatchObject({ status: "completed", conclusion: "failure", external_id: "gate-1" });
    expect(run!.annotations.map((one) => one.start_line)).toEqual(annotations.map(({ line }) => line));
    expect(run!.output.summary!.endsWith("🙂…")).toBe(true);
    expect(run!.output.text).toHaveLength(65_533);
  });

  test("our check run is found among those of others, page after page and no further", async () => {
    const headSha = host.repository.head("main")!;
    const others = async (count: number) => {
      await client.createCheckRun({ ...RUN, headSha, externalId: "other" });
      const [first] = host.model.checkRuns;
      for (let i = 1; i < count; i++) host.model.checkRuns.push({ ...first!, id: first!.id + 10_000 + i });
    };
    await others(230);
    const id = await client.createCheckRun({ ...RUN, headSha, externalId: "gate-1" });
    await others(170);
    const asked = () => host.requests.filter((one) => one.includes(`/commits/${headSha}/check-runs`)).length;
    expect(await client.findCheckRun(headSha, "gate-1")).toEqual({ id, annotations: 0 });
    expect(asked()).toBe(3);
    expect(await client.findCheckRun(headSha, "gate-2")).toBeNull();
    expect(asked()).toBe(3 + 5);
  });

  test("one comment is kept, whoever else begins with its marker; a person's token keeps its own", async () => {
    const pull = host.openPull({ "a.txt": "1" });
    const marker = "<!-- tracedeck -->";
    host.model.comments.push({
      id: 900,
      number: pull.number,
      login: "eve",
      body: `${marker} mine`,
      writes: 1,
    });
    for (let i = 0; i < 130; i++)
      host.model.comments.push({ id: 1000 + i, number: pull.number, login: "eve", body: "hm", writes: 1 });
    const id = await client.putComment(pull.number, marker, `${marker}\nfirst`);
    expect(await client.putComment(pull.number, marker, "second")).toBe(id);
    const ours = host.model.comments.filter(({ login }) => login === "tracedeck[bot]");
    expect(ours).toMatchObject([{ id, body: `${marker}\nsecond`, writes: 2 }]);
    expect(host.model.comments[0]!.body).toBe(`${marker} mine`);
    await clientOf(host.asToken).putComment(pull.number, marker, "by hand");
    expect(host.model.comments.at(-1)).toMatchObject({ login: "ada", body: `${marker}\nby hand` });
    await client.putComment(pull.number, marker, "long ".repeat(20_000));
    expect(Buffer.byteLength(host.model.comments.find((one) => one.id === id)!.body)).toBeLessThanOrEqual(
      65_536,
    );
  });

  test("a proposal is one commit on the base, keeps what files may do, and is made once", async () => {
    const proposal = {
      ...{ baseRef: "main", branch: "tracedeck/fix-1", title: "Follow the new label", body: "Because." },
      commitMessage: "fix: follow the new label",
      files: [
        { path: "s/a.scenario.md", text: "# New\n" },
        { path: "old.md", text: null },
      ],
    };
    host.repository.commit("main", { "s/a.scenario.md": "# Old\n", "old.md": "x", "kept.md": "k" });
    const [one, two] = await Promise.all([client.propose(proposal), client.propose(proposal)]);
    expect(two).toEqual(one);
    expect(await client.propose(proposal)).toEqual(one);
    expect(host.model.pulls).toMatchObject([
      { title: "Follow the new label", body: "Because.", baseRef: "main" },
    ]);
    const at = (path: string) => host.repository.fileAt(proposal.branch, path);
    expect([at("s/a.scenario.md"), at("old.md"), at("kept.md")]).toEqual(["# New\n", null, "k"]);
    host.model.pulls[0]!.state = "closed";
    expect(await client.propose(proposal)).toEqual(one);
    const nowhere = { ...proposal, baseRef: "release", branch: "tracedeck/fix-2" };
    expect((await refused(client.propose(nowhere))).message).toContain('no branch "release"');
  });

  test("a proposal that was cut off after its branch goes on from there", async () => {
    const proposal = {
      ...{ baseRef: "main", branch: "tracedeck/fix-3", title: "T", body: "B", commitMessage: "m" },
      files: [{ path: "a.md", text: "1" }],
    };
    host.fail(/^POST .*pulls$/, { status: 500 });
    expect(await refused(client.propose(proposal))).toMatchObject({ kind: "unreachable" });
    const head = host.repository.head(proposal.branch);
    expect(head).not.toBeNull();
    expect(await client.propose(proposal)).toMatchObject({ number: host.model.pulls[0]!.number });
    expect(host.repository.head(proposal.branch)).toBe(head);
  });
});

describe("deliveries of the app's webhook", () => {
  test("are listed since a time, oldest first, with ids that no number holds, and sent again", async () => {
    const answers = [500, 200];
    host.sendsTo(() => new Response("", { status: answers.shift() ?? 200 }));
    await host.deliver("ping", { zen: "old" });
    clock.advance(60_000);
    const since = clock.now();
    await host.deliver("push", { ref: "refs/heads/main" }, "guid-1");
    host.sendsTo(null);
    await host.deliver("push", { ref: "refs/heads/main" }, "guid-2");
    const found = await client.deliveriesSince(since);
    expect(found.map(({ guid, status }) => [guid, status])).toEqual([
      ["guid-1", 200],
      ["guid-2", 0],
    ]);
    expect(found[1]!.id).toBe(host.model.deliveries[2]!.id);
    await client.redeliver(found[1]!.id);
    expect(host.model.deliveries.at(-1)).toMatchObject({ guid: "guid-2", isRedelivery: true });
    expect(await refused(client.redeliver("1"))).toMatchObject({ kind: "not_found" });
    expect(await refused(client.redeliver("../user"))).toMatchObject({ kind: "not_found" });
  });

  test("more than a page of them are read by the host's cursor, until they are old enough", async () => {
    for (let i = 0; i < 250; i++) {
      clock.advance(1000);
      await host.deliver("ping", { zen: String(i) });
    }
    expect(await client.deliveriesSince(clock.now() - 149_500)).toHaveLength(150);
    expect(host.requests.filter((one) => one.startsWith("GET /app/hook/deliveries"))).toHaveLength(2);
  });
});

test("a text is cut by bytes between characters", () => {
  expect(cutBytes("abc", 3)).toBe("abc");
  expect(cutBytes("ééé", 5)).toBe("é…");
  expect(Buffer.byteLength(cutBytes("🙂".repeat(9), 20))).toBeLessThanOrEqual(20);
});

test("what is kept of files is bounded by bytes, and what was used last stays", () => {
  const cache = createBlobCache(20);
  cache.put("a", "12345");
  cache.put("b", "12345");
  cache.get("a");
  cache.put("c", "12345");
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["12345", null, "12345"]);
  cache.put("d", "x".repeat(11));
  expect(cache.get("d")).toBeNull();
});
