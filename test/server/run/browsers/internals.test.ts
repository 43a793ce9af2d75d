import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { version } from "playwright-core/package.json";
import * as internals from "../../../../server/run/browsers/internals.ts";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { createPageSessions } from "../../../../server/run/capture/page-sessions.ts";
import { openZip } from "../../../../store/archives/zip.ts";
import { playwrightProject } from "../../../helpers/playwright-project.ts";
import { scratchFolder } from "../../../helpers/program.ts";

setDefaultTimeout(60_000);

const run = join(import.meta.dir, "../../../../server/run");
const HOME = "browsers/internals.ts";
const sources = new Map(
  [...new Bun.Glob("**/*.ts").scanSync(run)].map((path) => [path, readFileSync(join(run, path), "utf8")]),
);

type Name = {
  [Key in keyof typeof internals]: (typeof internals)[Key] extends (...args: never[]) => unknown
    ? Key
    : never;
}[keyof typeof internals];

/** Files that stop working when a function of `internals.ts` does. */
const usersOf = (name: string): string[] =>
  [...sources]
    .filter(([path, source]) => path !== HOME && new RegExp(`\\b${name}\\b`).test(source))
    .map(([path]) => `server/run/${path}`)
    .sort();

/** Does what a contract asks, and says in words what an upgrade has broken. */
async function keep(name: Name, relied: string, check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Playwright ${version} breaks \`${name}\` of server/run/${HOME}: ${relied} does not hold any more.\n` +
        `It is used in ${usersOf(name).join(", ")}.\n${why}`,
      { cause: error },
    );
  }
}

let owned: OwnedBrowser;
let browser: Browser;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
  browser = owned.browser;
});
afterAll(() => owned.close());
beforeEach(async () => {
  for (const known of browser.contexts()) await known.close();
  context = await browser.newContext();
  page = await context.newPage();
  await page.setContent("<title>Two</title><input id=name><p>one</p><p>two</p>");
});

/** Each function of `internals.ts`, the private names that it stands for, and what they are asked here. */
const CONTRACT: Record<Name, { relied: string; check: () => void | Promise<void> }> = {
  failLostCalls: {
    relied:
      "`_connection.dispatch` throws for an answer that names what has gone, and `_callbacks` has its call",
    async check() {
      const gone = Promise.withResolvers<void>();
      context.once("close", () => gone.resolve());
      const connection = (context as unknown as { _connection: { toImpl(thing: object): Listened } })
        ._connection;
      const impl = connection.toImpl(context);
      const onAfterCall = async ({ metadata }: { metadata: { method: string } }) => {
        if (metadata.method !== "goto") return;
        void context.close();
        await gone.promise;
      };
      impl.instrumentation.addListener({ onAfterCall }, impl);
      const web = Bun.serve({ port: 0, fetch: () => new Response("Hello") });
      // The browser was launched with it.
      await expect(page.goto(web.url.href)).rejects.toThrow("has been closed");
      await web.stop(true);
    },
  },
  defaultArguments: {
    relied:
      "`_innerDefaultArgs` of the browser type gives Playwright's switches, `--disable-features` among them",
    check() {
      const known = internals.defaultArguments(chromium);
      expect(known.filter((argument) => /^--disable-features=\w+,\w+/.test(argument))).toHaveLength(1);
    },
  },
  contextIdOf: {
    relied: "`_browserContextId` of a context is what the DevTools protocol calls it",
    async check() {
      const cdp = await browser.newBrowserCDPSession();
      const { targetInfos } = await cdp.send("Target.getTargets");
      await cdp.detach();
      const id = internals.contextIdOf(context);
      expect(id).toBeString();
      expect(targetInfos.map(({ browserContextId }) => browserContextId)).toContain(id!);
    },
  },
  interceptMessages: {
    relied:
      "`_connection._transport` of a browser takes messages by `send` and gives them by `onmessage`, as objects",
    async check() {
      const sent: internals.ProtocolMessage[] = [];
      const received: internals.ProtocolMessage[] = [];
      const isBetween = internals.interceptMessages(browser, ({ send, receive }) => ({
        send(message) {
          sent.push(message);
          send(message);
        },
        receive(message) {
          received.push(message);
          receive(message);
        },
      }));
      expect(isBetween).toBe(true);
      await page.goto("data:text/html,<title>Other</title>");
      const asked = sent.find(({ method }) => method === "Page.navigate");
      expect(asked).toMatchObject({ id: expect.any(Number), sessionId: expect.any(String) });
      expect(received).toContainEqual(expect.objectContaining({ id: asked!.id }));
      // What the cover of secret values takes the place of: an empty script in a world of Playwright's own.
      const fresh = await context.newPage();
      await fresh.goto("data:text/html,<title>Third</title>");
      expect(sent).toContainEqual(
        expect.objectContaining({
          method: "Page.addScriptToEvaluateOnNewDocument",
          params: expect.objectContaining({ source: "", worldName: expect.any(String) }),
        }),
      );
    },
  },
  openInternalZone: {
    relied: "`_wrapApiCall` with `internal` keeps calls out of the archive",
    async check() {
      const folder = scratchFolder();
      await context.tracing.start({ snapshots: false });
      const within = await internals.openInternalZone(context);
      await within(() => page.getByText("unseen").count());
      await page.getByText("seen by all").count();
      await context.tracing.stop({ path: folder.at("trace.zip") });
      const archive = await openZip(folder.at("trace.zip"));
      const calls = Buffer.from(
        await archive.read(archive.members.find(({ name }) => name === "trace.trace")!),
      ).toString();
      await archive.close();
      folder.remove();
      expect(calls).toContain("seen by all");
      expect(calls).not.toContain("unseen");
    },
  },
  writeTraceLate: {
    relied: "a trace's `_fs.appendFile` takes a file, a text and whether it is written at once",
    async check() {
      const folder = scratchFolder();
      internals.writeTraceLate(context);
      await context.tracing.start({ snapshots: true });
      await page.getByText("one").count();
      const { _connection } = context as unknown as {
        _connection: { toImpl(thing: object): { _state: { traceFile: string } } };
      };
      const path = _connection.toImpl(context.tracing)._state.traceFile;
      expect(existsSync(path)).toBe(false);
      const files = await internals.stopTracing(context, folder.at("rest.zip"));
      expect(files.map((file) => file.path)).toContain(path);
      expect(readFileSync(path, "utf8")).toContain("queryCount");
      folder.remove();
    },
  },
  stopTracing: {
    relied: "a trace's `_connection.localUtils()` packs its files by `zip`, which takes them as `entries`",
    async check() {
      const folder = scratchFolder();
      const pack = folder.at("rest.zip");
      await context.tracing.start({ snapshots: true });
      await page.getByText("one").count();
      const files = await internals.stopTracing(context, pack);
      expect(files.map(({ name }) => name)).toContainValues(["trace.trace", "trace.network"]);
      const trace = files.find(({ name }) => name === "trace.trace")!;
      expect(readFileSync(trace.path, "utf8")).toContain("frame-snapshot");
      const rest = await openZip(pack);
      expect(rest.members.map(({ name }) => name)).toEqual(["trace.stacks"]);
      await rest.close();
      // It has ended: another may begin, and Playwright packs that one as ever.
      await context.tracing.start({ snapshots: true });
      await context.tracing.stop({ path: pack });
      const whole = await openZip(pack);
      expect(whole.members.map(({ name }) => name)).toContain("trace.trace");
      await whole.close();
      folder.remove();
    },
  },
  directSendOf: {
    relied: "`_send` of a session takes a method and its parameters and gives the answer",
    async check() {
      const session = await context.newCDPSession(page);
      const send = internals.directSendOf(session);
      expect(send).toBeFunction();
      expect(await send!("Runtime.evaluate", { expression: "1 + 1" })).toMatchObject({
        result: { value: 2 },
      });
      expect((await createPageSessions(context)(page)).send).not.toBe(session.send);
    },
  },
  openAnswer: {
    relied:
      "a response has `internalRawResponseHeaders` and `internalBody`, which reads by `_getResponseBodyCallback`",
    async check() {
      let asked = 0;
      internals.interceptMessages(browser, ({ send }) => ({
        send(message) {
          if (message.method === "Network.getResponseBody") asked += 1;
          send(message);
        },
      }));
      const web = Bun.serve({ port: 0, fetch: () => new Response("Hello", { headers: { "x-one": "1" } }) });
      const answers: internals.OpenAnswer[] = [];
      context.on("response", (response) => answers.push(internals.openAnswer(response)));
      const response = (await page.goto(web.url.href))!;
      const [answer] = answers;
      expect(await answer!.headers()).toContainEqual({ name: "x-one", value: "1" });
      expect(String(await response.body())).toBe("Hello");
      expect(String(await answer!.body())).toBe("Hello");
      expect(asked).toBe(1);
      answer!.release();
      expect(String(await answer!.body())).toBe("Hello");
      expect(asked).toBe(2);
      await web.stop(true);
      // What is told of an answer may come after its context has closed, and is nothing that a test fails of.
      await context.close();
      const [late] = await Promise.allSettled([internals.openAnswer(response).body()]);
      expect(late.status).toBe("rejected");
    },
  },
  mainSessionOf: {
    relied:
      "`delegate._mainFrameSession._client` of a page sends, and `_onMessage` gets its messages; `utilityWorldName` is the world that `utilityContext` evaluates in",
    async check() {
      const session = internals.mainSessionOf(page);
      const heard: internals.ProtocolMessage[] = [];
      session.intercept((message, pass) => {
        heard.push(message);
        pass();
      });
      const tree = (await session.send("Page.getFrameTree", {})) as { frameTree: { frame: { id: string } } };
      expect(tree.frameTree.frame.id).toBeString();
      await page.goto("data:text/html,<title>Other</title><script>title = 'Mine'</script>");
      expect(await page.title()).toBe("Other");
      expect(heard.map(({ params }) => (params?.context as { name?: string } | undefined)?.name)).toContain(
        session.world.name,
      );
      // The same document, but not its globals.
      expect(await session.world.evaluate("[document.title, typeof title]")).toEqual(["Other", "undefined"]);
      await expect(session.world.evaluate("nothing.there")).rejects.toThrow();
    },
  },
  askElements: {
    relied:
      "a locator's `_frame` and `_selector` lead to `selectors.callOnSelector`, `isNonRetriableError` tells what is final, and `_isDetached` which frame has gone",
    async check() {
      const texts = "({ elements }) => elements.map((element) => element.textContent)";
      expect(await internals.askElements(page.locator("p"), texts)).toEqual(["one", "two"]);
      expect(await internals.askElements(page.locator("h1"), texts)).toBeNull();
      await expect(internals.askElements(page.locator("p:nonsense("), texts)).rejects.toThrow();

      // Playwright's client hears of it later than who asks.
      await page.setContent("<iframe srcdoc='<p>one</p>'></iframe>");
      await page.frameLocator("iframe").locator("p").waitFor();
      const within = page.frames()[1]!.locator("p");
      const leave = "() => { frameElement.remove(); return new Promise(() => {}); }";
      expect(await internals.askElements(within, leave)).toBeNull();

      const hanging = internals.askElements(page.locator("body"), "() => new Promise(() => {})");
      const [answer] = await Promise.allSettled([hanging, page.close()]);
      expect(answer.status).toBe("rejected");
    },
  },
  askDocument: {
    relied:
      "`evaluateInUtility` of an element asks in a world with `fill` and `focusNode`, and tells what has gone",
    async check() {
      const handle = (await page.locator("#name").elementHandle())!;
      const filled = await internals.askDocument(
        handle,
        ([injected, node, text]) => {
          injected.focusNode(node, true);
          return [injected.fill(node, text), node.ownerDocument.activeElement === node];
        },
        "Ada",
      );
      expect(filled).toEqual(["needsinput", true]);
      await page.goto("data:text/html,<title>Other</title>");
      const after = await internals.askDocument(handle, () => "there", null).catch((error: Error) => error);
      if (!(after instanceof Error)) expect(after).toBe(internals.DISCONNECTED);
    },
  },
  hearSteps: {
    relied: "`_callbacks` of a test, or the test itself, has `onStepBegin` and `onStepEnd`",
    async check() {
      const project = await playwrightProject();
      project.write(
        "steps.spec.ts",
        `import { expect, test } from "@playwright/test";
import { hearSteps } from ${JSON.stringify(join(run, HOME))};
test("is heard", async ({}, testInfo) => {
  const heard = [];
  const leave = hearSteps(testInfo, ({ stepId, title, category }) => heard.push(stepId, title, category), ({ stepId }) => heard.push(stepId));
  await test.step("pays", async () => {});
  leave();
  await test.step("is not heard", async () => {});
  const [id] = heard;
  expect(heard).toEqual([id, "pays", "test.step", id]);
});
`,
      );
      const { code, output } = await project.run();
      project.remove();
      expect(output).toContain("1 passed");
      expect(code).toBe(0);
    },
  },
};

interface Listened {
  instrumentation: { addListener(listener: object, context: object): void };
}

describe("Playwright's private names", () => {
  test.each(Object.entries(CONTRACT))("%s", (name, { relied, check }) => keep(name as Name, relied, check));

  test("every function that stands for some of them is used, and asked here", () => {
    const functions = Object.entries(internals).filter(([, value]) => typeof value === "function");
    expect(functions.map(([name]) => name).sort()).toEqual(Object.keys(CONTRACT).sort());
    for (const [name] of functions) expect(usersOf(name)).not.toEqual([]);
  });

  test("stand in one file alone", () => {
    const names = new Set(sources.get(HOME)!.match(/\b(?:_[a-z]\w*|toImpl)\b/g));
    expect(names.size).toBeGreaterThan(10);
    const elsewhere = [...sources]
      .filter(([path]) => path !== HOME)
      .flatMap(([path, source]) =>
        [...names]
          .filter((name) => new RegExp(`\\b${name}\\b`).test(source))
          .map((name) => `${path}: ${name}`),
      );
    expect(elsewhere).toEqual([]);
  });

  test("a broken one is told by its name, and by the files that use it", async () => {
    const broken = keep("contextIdOf", "that there is one", () => expect(null).toBeString());
    await expect(broken).rejects.toThrow(
      `Playwright ${version} breaks \`contextIdOf\` of server/run/${HOME}: that there is one does not hold any more.\nIt is used in server/run/browsers/workers.ts, server/run/capture/cover.ts.`,
    );
  });
});
