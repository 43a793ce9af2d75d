import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../../../../server/platform/clock.ts";
import { createEmailClone } from "../../../../server/run/clones/email.ts";
import type { Clone, CloneChange } from "../../../../server/run/clones/types.ts";
import { bodyOf, cloneRequest, sendMail, smtp, unheard } from "../../../helpers/clones.ts";

const open: Clone[] = [];
afterEach(async () => {
  for (const clone of open.splice(0)) await clone.close();
});
async function mailbox(): Promise<Clone> {
  const clone = await createEmailClone({ clock: systemClock, onExchange: unheard });
  open.push(clone);
  return clone;
}
const urlOf = (clone: Clone, name: string) => clone.addresses[`email.${name}`]!;
const ask = (clone: Clone, method: string, path: string, body?: string | object) =>
  clone.handle(cloneRequest(method, path, body));

describe("the email clone", () => {
  test("takes a mail over SMTP and shows it decoded, with its code and its links", async () => {
    const clone = await mailbox();
    const changes: CloneChange[] = [];
    clone.onChange((change) => changes.push(change));
    const raw = [
      "From: Slow Mornings <shop@example.com>",
      "To: ada@example.com",
      "Subject: =?utf-8?B?SGVsbG8g4piV?=",
      "MIME-Version: 1.0",
      'Content-Type: multipart/alternative; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Your code is 048213, caf=C3=A9 opens at 7.30.",
      "..leading dot",
      "--b",
      "Content-Type: text/html; charset=utf-8",
      "",
      '<a href="https://shop.example/confirm?a=1&amp;b=2">Confirm</a>',
      "--b--",
    ].join("\r\n");
    const heard = await sendMail(urlOf(clone, "smtp"), "ada@example.com", raw);
    expect(heard.map((line) => line.slice(0, 3))).toEqual(["220", "250", "250", "250", "354", "250", "221"]);
    const [mail] = bodyOf(await ask(clone, "GET", "/messages"));
    expect(mail).toMatchObject({
      id: "1",
      from: "shop@example.com",
      to: ["ada@example.com"],
      subject: "Hello ☕",
      text: expect.stringContaining("café opens at 7.30.\n.leading dot"),
      code: "048213",
      links: ["https://shop.example/confirm?a=1&b=2"],
    });
    expect(changes).toEqual([{ key: "messages/1", before: null, after: mail }]);
  });

  test("takes mails in the ways of HTTP providers, newest first, found by recipient", async () => {
    const clone = await mailbox();
    const sent = await ask(clone, "POST", "/v3/mail/send", {
      personalizations: [{ to: [{ email: "ada@example.com" }], subject: "First" }],
      from: { email: "shop@example.com", name: "Shop" },
      content: [{ type: "text/html", value: "<style>p{}</style><p>Your code: <b>K7-PLQ2</b></p>" }],
    });
    expect(sent).toMatchObject({ status: 202, headers: { "x-message-id": "1" } });
    const other = await ask(clone, "POST", "/emails", {
      from: "Shop <shop@example.com>",
      to: ["Bob <bob@example.com>"],
      subject: "Second",
      text: "See you",
    });
    expect(bodyOf(other)).toEqual({ id: "2" });
    const all = bodyOf(await ask(clone, "GET", "/messages"));
    expect(all).toMatchObject([
      { subject: "Second", to: ["bob@example.com"], code: null },
      { subject: "First", code: "K7-PLQ2", text: "Your code: K7-PLQ2" },
    ]);
    expect(bodyOf(await ask(clone, "GET", "/messages?to=ADA"))).toMatchObject([{ id: "1" }]);
    expect((await ask(clone, "DELETE", "/messages")).status).toBe(204);
    expect(clone.state()).toEqual({});
  });

  test("lets a request wait for the mail, and not longer than it asks", async () => {
    const clone = await mailbox();
    const waiting = fetch(`${urlOf(clone, "url")}/messages?to=ada&wait=20`);
    await ask(clone, "POST", "/emails", { from: "a@b.c", to: "bob@x.y", text: "no" });
    await ask(clone, "POST", "/emails", { from: "a@b.c", to: "ada@x.y", text: "code 1234" });
    expect(await (await waiting).json()).toMatchObject([{ code: "1234" }]);
    expect(bodyOf(await ask(clone, "GET", "/messages?to=nobody&wait=0.05"))).toEqual([]);
    expect((await ask(clone, "GET", "/messages?wait=1e9")).status).toBe(400);
  });

  test("is put back to a state that it had, and goes on from there", async () => {
    const clone = await mailbox();
    const send = (subject: string) => ask(clone, "POST", "/emails", { from: "a@b.c", to: "d@e.f", subject });
    await send("one");
    const state = clone.state();
    await send("two");
    clone.restore(state);
    expect(clone.state()).toEqual(state);
    await send("three");
    expect(Object.keys(clone.state())).toEqual(["messages/1", "messages/2"]);
  });

  test("whose mails were put back lets a mail that comes late take the place of the old one", async () => {
    const clone = await mailbox();
    const send = (text: string) => ask(clone, "POST", "/emails", { from: "a@b.c", to: "ada@e.f", text });
    const wait = async (seconds: number) =>
      bodyOf(await ask(clone, "GET", `/messages?to=ada&wait=${seconds}`));
    await send("code 1111");
    await send("code 2222");
    const state = clone.state();
    clone.restore({});
    await send("code 3333");
    clone.restore({ ...state, ...clone.state() }, { isExpected: true });
    const asked = wait(20);
    await send("code 4444");
    expect(await asked).toMatchObject([
      { id: "2", code: "4444" },
      { id: "1", code: "3333" },
    ]);
    clone.restore({});
    clone.restore(state, { isExpected: true });
    expect(await wait(0.05)).toMatchObject([{ code: "2222" }, { code: "1111" }]);
    clone.restore({});
    clone.restore(state);
    expect(await wait(20)).toMatchObject([{ code: "2222" }, { code: "1111" }]);
  });

  test("answers nonsense with errors, and refuses mails that are too large", async () => {
    const clone = await mailbox();
    for (const body of ["{", "[]", "null", { from: 1, to: {} }, { from: "a@b.c", to: [] }])
      expect((await ask(clone, "POST", "/emails", body)).status).toBe(400);
    expect((await ask(clone, "GET", "/nowhere")).status).toBe(404);
    const large = `Subject: x\r\n\r\n${"a long line of a mail\r\n".repeat(110_000)}`;
    const heard = await sendMail(urlOf(clone, "smtp"), "ada@example.com", large);
    expect(heard[5]).toStartWith("552 ");
    const wrong = await smtp(urlOf(clone, "smtp"), ["HELO x", "DATA", "NONSENSE", "QUIT"]);
    expect(wrong.map((line) => line[0])).toEqual(["2", "2", "5", "5", "2"]);
    expect(clone.state()).toEqual({});
  });

  test("keeps something of whatever bytes it is sent as a mail", async () => {
    const clone = await mailbox();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
        const raw = text.replaceAll(/[\r\n]\.?/g, " ");
        const heard = await sendMail(
          urlOf(clone, "smtp"),
          "ada@example.com",
          `Subject: ${raw}\r\n\r\n<a ${raw}`,
        );
        expect(heard[5]).toStartWith("250 ");
      }),
      { numRuns: 5 },
    );
    expect(Object.keys(clone.state())).toHaveLength(5);
  });

  test("of two runs know nothing of each other, and are gone when closed", async () => {
    const [one, two] = [await mailbox(), await mailbox()];
    await sendMail(urlOf(one, "smtp"), "ada@example.com", "Subject: hi\r\n\r\n.");
    expect(two.state()).toEqual({});
    await one.close();
    await one.close();
    expect(fetch(urlOf(one, "url"))).rejects.toThrow();
    expect(smtp(urlOf(one, "smtp"), ["QUIT"])).rejects.toThrow();
  });
});
