import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../helpers/executable.ts";
import { type Mailbox, startMailbox } from "../helpers/mailbox.ts";
import { startProvider, type TestProvider } from "../helpers/oidc-provider.ts";
import { cookieOf } from "../helpers/people.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";
import { eventually } from "../helpers/until.ts";

const scratch = scratchFolder();
let box: Mailbox;
let provider: TestProvider;
let server: RunningServer;
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  await box?.close();
  scratch.remove();
});

const freePort = async (): Promise<number> => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = taken;
  await taken.stop(true);
  return port!;
};

test("the executable sends mail and signs people in through a provider: what minifying renames is not needed", async () => {
  const data = scratch.at("data");
  const port = await freePort();
  box = await startMailbox();
  provider = await startProvider({ redirectUri: `http://localhost:${port}/signin/sso/callback` });
  const { issuer, clientId, clientSecret } = provider;
  const settings = {
    sso: {
      ...{ issuer, client_id: clientId, client_secret: clientSecret, enforced: false },
      verified_domains: ["shop.example"],
    },
    notifications: { smtp: { host: "127.0.0.1", port: box.port, from: "deck@shop.example" } },
  };
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "settings.json"), JSON.stringify(settings));
  const args = ["serve", "--no-open", "--port", String(port)];
  server = await startProgram(data, { command: [await executable()], cwd: scratch.path, args });

  const post = (path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { origin: server.url, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await post("/v1/session/magic-link", { email: "eve@shop.example" })).status).toBe(202);
  await eventually(() => expect(box.mails).toHaveLength(1));
  const code = /link\?code=(\w+)/.exec(box.mails[0]!.text!)![1]!;
  const byMail = await post("/v1/session/magic-link/use", { code });
  expect([byMail.status, cookieOf(byMail) !== null]).toEqual([200, true]);

  provider.signedIn({ sub: "ada", email: "ada@shop.example", email_verified: true });
  const start = await fetch(`${server.url}/signin/sso`, { redirect: "manual" });
  const back = await provider.follow(start.headers.get("location")!);
  const cookie = cookieOf(start, "product_signin")!;
  const arrived = await fetch(back, { redirect: "manual", headers: { cookie } });
  const me = await fetch(`${server.url}/api/v1/me`, { headers: { cookie: cookieOf(arrived)! } });
  expect(await me.json()).toMatchObject({ user: { email: "ada@shop.example" }, org: { role: "member" } });
}, 120_000);
