import { afterAll, beforeAll, expect, test } from "bun:test";
import { NetError } from "../../../../server/platform/net.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Ask,
  anonymous,
  authorize,
  connect,
  ownerCookie,
  refusal,
  requestOf,
} from "../../../helpers/oauth.ts";

const CLIENT = "https://agent.example/oauth/client.json";
const said = { client_id: CLIENT, client_name: "Agent", redirect_uris: ["http://127.0.0.1/callback"] };

let t: TestApp;
let ask: Ask;
let cookie: string;
/** What the network answers with; the guarded fetch itself has tests of its own. */
let document: () => Response;
let fetched = 0;

beforeAll(async () => {
  t = await testApp({ settings: { oauth: { client_metadata_documents: true } } });
  ask = anonymous(t);
  cookie = await ownerCookie(t);
});
afterAll(() => t.close());

function serve(answer: () => Response): void {
  document = answer;
  t.deps.net = {
    ...t.deps.net,
    get: async () => {
      fetched++;
      return document();
    },
  };
}

const open = (clientId: string, app = ask, who = cookie) => authorize(app, requestOf(clientId), who);

test("is not fetched unless the operator allows it", async () => {
  const own = await testApp();
  own.deps.net = { ...own.deps.net, get: () => Promise.reject(new Error("fetched")) };
  expect((await open(CLIENT, anonymous(own), await ownerCookie(own))).status).toBe(400);
  await own.close();
});

test.each([
  "https://127.0.0.1/c.json",
  "https://169.254.169.254/c",
  "https://[::1]/c",
  "https://localhost/c",
])("is not fetched from %s: it is no public address (SSRF)", async (clientId) => {
  const page = await open(clientId);
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(await page.text()).toContain("not public");
});

test("names the program, is remembered for an hour and read again, and its host is told on the page", async () => {
  serve(() => Response.json(said));
  const metadata = await ask("/.well-known/oauth-authorization-server");
  expect(await metadata.json()).toMatchObject({ client_id_metadata_document_supported: true });
  const html = await (await open(CLIENT)).text();
  expect(html).toContain("vouched for by <strong>agent.example</strong>");
  const { tokens } = await connect(ask, cookie, {}, { clientId: CLIENT });
  expect([tokens.scope, fetched]).toEqual(["mcp:read mcp:run", 1]);
  t.clock.advance(60 * 60_000);
  serve(() => Response.json({ ...said, redirect_uris: ["https://agent.example/cb"] }));
  expect([(await open(CLIENT)).status, fetched]).toEqual([400, 2]);
});

test("that is not good names nobody", async () => {
  const bad: [string, () => Response][] = [
    ["another", () => Response.json({ ...said, client_id: "https://other.example/c" })],
    ["no JSON", () => new Response("<html>")],
    ["a list", () => Response.json([])],
    ["a script", () => Response.json({ ...said, redirect_uris: ["javascript:alert(1)"] })],
    [
      "gone",
      () => {
        throw new NetError("invalid_request", "The URL answers with status 404.");
      },
    ],
  ];
  for (const [name, answer] of bad) {
    serve(answer);
    const clientId = CLIENT.replace("client", encodeURIComponent(name));
    const response = await ask(`/api/oauth/authorize?${requestOf(clientId)}`, { headers: { cookie } });
    expect([name, ...(await refusal(response))]).toEqual([name, 401, "invalid_client"]);
  }
});

test.each([
  "https://agent.example/",
  "https://agent.example/c#x",
  "https://u:p@agent.example/c",
  "HTTPS://agent.example/c",
  "http://agent.example/c",
])("does not lie at %s", async (clientId) => {
  serve(() => Response.json({ ...said, client_id: clientId }));
  expect((await open(clientId)).status).toBe(400);
});
