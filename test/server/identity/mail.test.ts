import { afterEach, describe, expect, test } from "bun:test";
import type { OpenedMail } from "../../../server/identity/mail/model.ts";
import { MAX_BODY_BYTES, type NewMail, queueMail } from "../../../server/identity/mail/queue.ts";
import { createOrg } from "../../../server/identity/orgs.ts";
import { commit } from "../../../server/jobs/commit.ts";
import { insertMembership } from "../../../store/records/identity.ts";
import type { Role } from "../../../store/records/schema.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { type Mailbox, startMailbox } from "../../helpers/mailbox.ts";
import { person as personOf } from "../../helpers/people.ts";
import { statement } from "../../helpers/statement.ts";

const DAY = 24 * 60 * 60_000;
let t: TestApp;
let box: Mailbox | null = null;
afterEach(async () => {
  await t?.close();
  await box?.close();
  box = null;
});

const CODE = "kEePtHiSsEcReT";
const letter = (): NewMail => ({
  orgId: t.orgId,
  kind: "notification",
  to: "ada@shop.example",
  subject: "It fails",
  text: "Checkout fails.",
});
const link = (more: Partial<NewMail> = {}): NewMail => ({
  ...letter(),
  kind: "signin",
  text: `http://localhost/signin/link?code=${CODE}`,
  secret: { until: t.clock.now() + 10 * 60_000, userId: null, role: null },
  terminal: `Sign in as ada@shop.example: http://localhost/signin/link?code=${CODE}`,
  ...more,
});
const queue = (mail: NewMail) => commit(t.deps, (trx, after) => queueMail(t.deps, trx, after, mail));
const show = async (id: string, headers: Record<string, string>) => {
  const response = await t.api(`/v1/mail/${id}`, { headers });
  return { status: response.status, ...((await response.json()) as OpenedMail) };
};

const person = (role: Role, orgId = t.orgId) => personOf(t, { role, orgId });

async function withMailServer(more: Parameters<typeof startMailbox>[0] = {}): Promise<void> {
  box = await startMailbox(more);
  const smtp = { host: "127.0.0.1", port: box.port, from: "Tracedeck <deck@shop.example>" };
  t = await testApp({ settings: { notifications: { smtp, retry_seconds: [5, 30] } } });
}

describe("mail without a mail server", () => {
  test("waits in the outbox, newest first, and is opened as text", async () => {
    t = await testApp();
    const { headers } = await person("admin");
    await queue(letter());
    t.clock.advance(1);
    const id = await queue({ ...letter(), subject: "It passes\r\nBcc: eve@evil.example" });
    const list = (await (await t.api("/v1/mail", { headers })).json()) as { items: { subject: string }[] };
    expect(list.items.map(({ subject }) => subject)).toEqual(["It passes Bcc: eve@evil.example", "It fails"]);
    expect(list).toMatchObject({ is_sent: false, next_cursor: null, items: [{ state: "waiting" }, {}] });
    expect(await show(id, headers)).toMatchObject({ text: "Checkout fails.", hidden: null });
    const first = await (await t.api("/v1/mail?limit=1", { headers })).json();
    const rest = await t.api(`/v1/mail?cursor=${(first as { next_cursor: string }).next_cursor}`, {
      headers,
    });
    expect(((await rest.json()) as typeof list).items.map(({ subject }) => subject)).toEqual(["It fails"]);
  });

  test("prints a sign-in link in the terminal, after the commit only, and nowhere in log or records", async () => {
    t = await testApp();
    await queue(link());
    expect(t.told).toEqual([expect.stringContaining(CODE)]);
    const failing = commit(t.deps, async (trx, after) => {
      await queueMail(t.deps, trx, after, link());
      throw new Error("and back");
    });
    await expect(failing).rejects.toThrow("and back");
    expect(t.told).toHaveLength(1);
    expect(t.logged.join("")).not.toContain(CODE);
    expect(JSON.stringify(await statement(t.store, "SELECT * FROM mails"))).not.toContain(CODE);
    expect(JSON.stringify(await statement(t.store, "SELECT * FROM jobs"))).not.toContain(CODE);
  });

  test("is wiped when its link has expired, and gone after 30 days", async () => {
    t = await testApp();
    const { headers } = await person("owner");
    const [id, plain] = [await queue(link()), await queue(letter())];
    expect((await show(id, headers)).text).toContain(CODE);
    t.clock.advance(10 * 60_000);
    expect(await show(id, headers)).toMatchObject({ text: null, hidden: "wiped" });
    const prune = t.runtime.periodic.find(({ name }) => name === "old mail")!;
    await prune.run();
    expect(await statement(t.store, "SELECT id FROM mails WHERE sealed IS NULL")).toEqual([{ id }]);
    t.clock.advance(20 * DAY);
    expect((await show(plain, headers)).status).toBe(200);
    t.clock.advance(10 * DAY);
    await prune.run();
    expect(await statement(t.store, "SELECT id FROM mails")).toEqual([]);
  });

  test("is for owners and admins of the org alone", async () => {
    t = await testApp();
    const id = await queue(letter());
    for (const role of ["member", "billing"] as const) {
      const { headers } = await person(role);
      expect((await t.api("/v1/mail", { headers })).status).toBe(403);
      expect((await show(id, headers)).status).toBe(403);
    }
    const other = await createOrg(t.deps, "other");
    expect((await show(id, (await person("owner", other.org_id)).headers)).status).toBe(404);
    expect((await t.api("/v1/mail")).status).toBe(403);
  });

  test("shows a link to nobody who may do less than whose account it opens, in any of their orgs", async () => {
    t = await testApp();
    const [owner, admin, member] = [await person("owner"), await person("admin"), await person("member")];
    const forOwner = await queue(
      link({ secret: { until: t.clock.now() + DAY, userId: owner.id, role: null } }),
    );
    const forMember = await queue(
      link({ secret: { until: t.clock.now() + DAY, userId: member.id, role: null } }),
    );
    expect(await show(forOwner, admin.headers)).toMatchObject({ text: null, hidden: "not_yours" });
    expect((await show(forOwner, owner.headers)).text).toContain(CODE);
    expect((await show(forMember, admin.headers)).text).toContain(CODE);
    const other = await createOrg(t.deps, "other");
    await insertMembership(t.store.records, {
      ...{ org_id: other.org_id, user_id: member.id, role: "owner" },
      created_at: t.clock.now(),
    });
    expect(await show(forMember, owner.headers)).toMatchObject({ text: null, hidden: "not_yours" });
  });

  test("shows a link that gives a role to nobody who may do less", async () => {
    t = await testApp();
    const [owner, admin] = [await person("owner"), await person("admin")];
    const send = (path: string, body: object, headers: Record<string, string>) =>
      t.api(path, {
        method: "POST",
        headers: { "content-type": "application/json", origin: "http://localhost", ...headers },
        body: JSON.stringify(body),
      });
    for (const [email, role] of [
      ["boss@shop.example", "owner"],
      ["hand@shop.example", "member"],
    ])
      expect((await send("/v1/invitations", { email, role }, owner.headers)).status).toBe(201);
    // Who is invited may ask for a link to sign in instead: it gives the same role.
    await send("/v1/session/magic-link", { email: "boss@shop.example" }, { authorization: "" });
    await t.runJobs();
    const rows = await statement(t.store, "SELECT id, recipient, kind FROM mails ORDER BY recipient, kind");
    expect(rows.map(({ kind }) => kind)).toEqual(["invitation", "signin", "invitation"]);
    const seen = async (headers: Record<string, string>) =>
      Promise.all(rows.map(async ({ id }) => (await show(String(id), headers)).hidden));
    expect(await seen(admin.headers)).toEqual(["not_yours", "not_yours", null]);
    expect(await seen(owner.headers)).toEqual([null, null, null]);
  });

  test("stays whole over a restart", async () => {
    t = await testApp();
    const id = await queue(letter());
    await t.runtime.close();
    const again = await testApp({ dataDir: t.dataDir });
    const first = t;
    t = again;
    const { headers } = await person("owner");
    expect((await show(id, headers)).text).toBe("Checkout fails.");
    await again.close();
    t = first;
  });

  test("goes to one address, with a body of bounded size", async () => {
    t = await testApp();
    for (const to of ["ada@shop.example, eve@evil.example", "ada", "Ada <ada@shop.example>", "a@b\r\nc"])
      await expect(queue({ ...letter(), to })).rejects.toThrow("one address");
    await expect(queue({ ...letter(), text: "x".repeat(MAX_BODY_BYTES) })).rejects.toThrow("bytes");
  });
});

describe("mail with a mail server", () => {
  test("is sent once, after the commit, and a secret's body is wiped then", async () => {
    await withMailServer();
    const [plain, secret] = [
      await queue({ ...letter(), html: "<b>Checkout</b> fails." }),
      await queue(link()),
    ];
    expect(t.told).toEqual([]);
    await t.runJobs();
    await t.runJobs();
    const sent = box!.mails.toSorted((a, b) => a.subject!.localeCompare(b.subject!));
    expect(sent).toHaveLength(2);
    const mail = sent.find(({ messageId }) => messageId === `<${plain}@shop.example>`)!;
    expect(mail).toMatchObject({
      subject: "It fails",
      from: { address: "deck@shop.example", name: "Tracedeck" },
      to: [{ address: "ada@shop.example" }],
    });
    expect(mail.text).toContain("Checkout fails.");
    expect(mail.html).toContain("<b>");
    const { headers } = await person("owner");
    expect(await show(plain, headers)).toMatchObject({ state: "sent", attempts: 1, text: "Checkout fails." });
    expect(await show(secret, headers)).toMatchObject({ state: "sent", text: null, hidden: "wiped" });
    expect(t.logged.join("")).not.toContain(CODE);
  });

  test("is tried again as settings say, and the mail server's words stand in the outbox", async () => {
    await withMailServer({ answer: { code: 451, text: "come back later" } });
    const { headers } = await person("owner");
    const id = await queue(letter());
    await t.runJobs();
    expect(await show(id, headers)).toMatchObject({ state: "queued", attempts: 1 });
    expect((await show(id, headers)).error).toContain("come back later");
    // Whoever follows a link that was mailed has shown to get mail at its address.
    const secret = await queue(link());
    await t.runJobs();
    expect(await show(secret, headers)).toMatchObject({ state: "queued", text: null, hidden: "on_its_way" });
    await statement(t.store, "DELETE FROM mails WHERE id = ?", secret);
    t.clock.advance(5_000);
    await t.runJobs();
    box!.accept();
    t.clock.advance(30_000);
    await t.runJobs();
    expect(await show(id, headers)).toMatchObject({ state: "sent", attempts: 3, error: null });
    expect(box!.mails).toHaveLength(1);
  });

  test("fails at once when the server will never take it, and after the last try", async () => {
    await withMailServer({ answer: { code: 550, text: `no ${CODE} here` } });
    const { headers } = await person("owner");
    const id = await queue(link());
    await t.runJobs();
    const refused = await show(id, headers);
    expect(refused).toMatchObject({ state: "failed", attempts: 1 });
    expect(refused.error).toContain("550");
    expect(JSON.stringify(refused.error) + t.logged.join("")).not.toContain(CODE);
    await box!.close();
    const other = await queue(letter());
    for (const wait of [0, 5_000, 30_000]) {
      t.clock.advance(wait);
      await t.runJobs();
    }
    expect(await show(other, headers)).toMatchObject({ state: "failed", attempts: 3 });
  });

  test("does not send a link that has expired meanwhile", async () => {
    await withMailServer({ answer: { code: 451, text: "later" } });
    const { headers } = await person("owner");
    const id = await queue(link({ secret: { until: t.clock.now() + 20_000, userId: null, role: null } }));
    await t.runJobs();
    box!.accept();
    t.clock.advance(20_000);
    await t.runJobs();
    expect(box!.mails).toEqual([]);
    expect(await show(id, headers)).toMatchObject({ state: "failed", hidden: "wiped" });
  });
});
