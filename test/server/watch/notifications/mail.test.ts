import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { startMailbox } from "../../../helpers/mailbox.ts";
import { FACTS, notifyingServer, SETTINGS } from "../../../helpers/notifying.ts";
import { person } from "../../../helpers/people.ts";

setDefaultTimeout(60_000);

const server = notifyingServer();
const { call, made, deliveries, tell, eventOf, channel, passRetry, restarted, receiver } = server;

describe("mail", () => {
  test("tells an incident over the org's mail server, all its mails in one thread", async () => {
    const mailbox = await startMailbox();
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { smtp } });
    await made("/unused", { type: "email", url: undefined, address: "oncall@shop.example" });
    await tell("n1", { title: "Guest\r\ncheckout fails" });
    await tell("n2", { event: "incident.resolved", title: "Guest checkout works again", cause: "" });
    await server.app.runJobs();
    const [first, second] = mailbox.mails.toSorted((a, b) => (a.subject! > b.subject! ? 1 : -1));
    expect(first).toMatchObject({
      subject: "Guest checkout fails",
      to: [{ address: "oncall@shop.example" }],
      from: { address: "alerts@shop.example" },
      inReplyTo: second!.inReplyTo,
    });
    expect(first!.inReplyTo).toContain(FACTS.incidentId);
    expect(first!.text).toContain("answered 500");
    expect(await deliveries("?state=delivered")).toHaveLength(2);
    await mailbox.close();
  });

  const byMail = { type: "email", url: undefined, address: "oncall@shop.example" };

  test("that the mail server refuses has not arrived, which the other channels are told; sent again it may", async () => {
    const mailbox = await startMailbox({ answer: { code: 550, text: "no such user" } });
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { ...SETTINGS.notifications, smtp } });
    const { id } = await made("/by-mail", byMail);
    await made("/beside-mail");
    await tell("n1");
    await server.app.runJobs();
    const [refused] = await deliveries(`?channel_id=${id}`);
    expect(refused).toMatchObject({ state: "dead", last_error: expect.stringContaining("no such user") });
    expect((await channel(id)).broken_since).not.toBeNull();
    expect(receiver.at("/beside-mail").map(eventOf)).toEqual(["incident.opened", "channel.broken"]);
    mailbox.accept();
    await call("POST", `/v1/webhook-deliveries/${refused!.id}/replay`);
    await server.app.runJobs();
    const arrived = { state: "delivered", attempts: 2, last_error: null };
    expect(await deliveries(`?channel_id=${id}`)).toMatchObject([arrived]);
    expect((await channel(id)).broken_since).toBeNull();
    await mailbox.close();
  });

  test("waits with its mail while the mail server puts it off, and its channel is told as broken after three tries", async () => {
    const mailbox = await startMailbox({ answer: { code: 451, text: "come back later" } });
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { ...SETTINGS.notifications, smtp } });
    const { id } = await made("/by-mail-later", byMail);
    await tell("n1");
    await server.app.runJobs();
    await passRetry(0);
    const waits = {
      state: "pending",
      last_error: expect.stringContaining("come back later"),
      ended_at: null,
    };
    expect(await deliveries()).toMatchObject([{ ...waits, attempts: 2 }]);
    expect((await channel(id)).broken_since).toBeNull();
    await passRetry(1);
    expect(await deliveries()).toMatchObject([{ ...waits, attempts: 3 }]);
    expect((await channel(id)).broken_since).not.toBeNull();
    mailbox.accept();
    await passRetry(2);
    const arrived = { state: "delivered", attempts: 4, last_error: null };
    expect(await deliveries()).toMatchObject([arrived]);
    expect((await channel(id)).broken_since).toBeNull();
    expect(mailbox.mails).toHaveLength(1);
    await mailbox.close();
  });

  test("without a mail server is to be read in the outbox, and has not arrived", async () => {
    const { id } = await made("/no-mail-server", byMail);
    await tell("n1");
    await server.app.runJobs();
    const why = expect.stringContaining("no mail server");
    expect(await deliveries()).toMatchObject([{ state: "dead", last_error: why }]);
    expect((await channel(id)).broken_since).not.toBeNull();
    const { headers } = await person(server.app, { role: "admin" });
    const outbox = (await (await server.app.api("/v1/mail", { headers })).json()) as {
      items: { state: string }[];
    };
    expect(outbox.items).toMatchObject([{ state: "waiting", subject: FACTS.title }]);
  });
});
