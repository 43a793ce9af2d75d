import { type Clock, toIso } from "../../platform/clock.ts";
import { isRecord, json, openDoor, readFields } from "./http.ts";
import { keptMail, type Mail } from "./mail.ts";
import { openSmtp } from "./smtp.ts";
import { createEntries } from "./state.ts";
import type { Clone, CloneRequest, CloneResponse, Json, OnExchange } from "./types.ts";

const PREFIX = "messages/";
const LONGEST_WAIT_S = 30;

/**
 * A mailbox for everyone: takes what the target sends, over SMTP or over HTTP in the ways of common providers
 * (`POST /v3/mail/send`, `POST /emails`), delivers nothing, and shows it at `GET /messages`, newest first.
 */
export async function createEmailClone(options: { clock: Clock; onExchange: OnExchange }): Promise<Clone> {
  const { clock } = options;
  const entries = createEntries();
  const waiting = new Set<() => void>();
  /** Mails that were put back, and that the target may still send anew. */
  const expected = new Set<string>();
  let last = 0;

  function keep(mail: Mail): string | null {
    last += 1;
    const id = String(last);
    const kept = keptMail(mail, { id, receivedAt: toIso(clock.now()) });
    expected.delete(id);
    if (!entries.set(`${PREFIX}${id}`, kept)) return null;
    for (const wake of waiting) wake();
    return id;
  }

  /** `?to=` is a part of the recipient's address; `?wait=` seconds until there is one, and none is expected anew. */
  async function list({ url, signal }: CloneRequest): Promise<CloneResponse> {
    const to = url.searchParams.get("to")?.toLowerCase() ?? "";
    const wait = Number(url.searchParams.get("wait") ?? 0);
    if (!(wait >= 0 && wait <= LONGEST_WAIT_S))
      return refused(`"wait" is a number of seconds from 0 to ${LONGEST_WAIT_S}.`);
    const fitting = () =>
      entries
        .under(PREFIX)
        .filter((mail) => to === "" || recipientsOf(mail).some((one) => one.toLowerCase().includes(to)))
        .reverse();
    const isNews = () => fitting().length > 0 && !fitting().some((mail) => expected.has(idOf(mail)));
    await waitUntil(isNews, wait / 2, signal);
    await waitUntil(() => fitting().length > 0, wait / 2, signal);
    return json(fitting());
  }

  /** What is put back is taken after half the time, lest a caller who waits as long gets nothing. */
  async function waitUntil(isThere: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
    if (seconds === 0 || isThere()) return;
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    void clock.sleep(seconds * 1000, until).then(() => over.abort());
    while (!isThere() && !until.aborted) await news(until);
    over.abort();
  }

  const news = (until: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        waiting.delete(done);
        until.removeEventListener("abort", done);
        resolve();
      };
      waiting.add(done);
      until.addEventListener("abort", done, { once: true });
    });

  function accept(mail: Mail | null, answerWith: (id: string) => CloneResponse): CloneResponse {
    if (!mail) return refused("The mail needs a sender and at least one recipient.");
    const id = keep(mail);
    return id === null ? refused("There is no room for another mail.", 429) : answerWith(id);
  }

  async function handle(request: CloneRequest): Promise<CloneResponse> {
    const { pathname } = request.url;
    const asked = `${request.method} ${pathname}`;
    if (asked === "GET /messages") return list(request);
    if (asked === "DELETE /messages") {
      for (const mail of entries.under(PREFIX)) entries.remove(`${PREFIX}${idOf(mail)}`);
      return { status: 204, headers: {}, body: "" };
    }
    if (request.method === "GET" && /^\/messages\/\d{1,6}$/.test(pathname)) {
      const mail = entries.get(pathname.slice(1));
      return mail === undefined ? refused("There is no such mail.", 404) : json(mail);
    }
    if (asked === "POST /v3/mail/send" || asked === "POST /emails") {
      const fields = readFields(request);
      if (!fields) return refused("The body is no JSON object.");
      return asked === "POST /emails"
        ? accept(plainMail(fields), (id) => json({ id }))
        : accept(personalisedMail(fields), (id) => ({
            status: 202,
            headers: { "x-message-id": id },
            body: "",
          }));
    }
    return refused(
      `${asked} is nothing that the email clone knows: it takes POST /v3/mail/send and POST /emails, and shows GET /messages.`,
      404,
    );
  }

  const http = openDoor(handle, options);
  const smtp = await openSmtp((mail) => keep(mail) !== null).catch(async (error) => {
    await http.close();
    throw error;
  });
  return {
    service: "email",
    addresses: { "email.url": http.url, "email.smtp": smtp.url },
    state: entries.state,
    restore(state, { isExpected } = { isExpected: false }) {
      expected.clear();
      if (isExpected) {
        const told = entries.state();
        for (const key of Object.keys(state))
          if (key.startsWith(PREFIX) && !Object.hasOwn(told, key)) expected.add(key.slice(PREFIX.length));
      }
      entries.restore(state);
      const settled = entries
        .under(PREFIX)
        .map(idOf)
        .filter((id) => !expected.has(id));
      last = Math.max(0, ...settled.map((id) => Number(id) || 0));
    },
    handle,
    onChange: entries.onChange,
    async close() {
      await Promise.all([http.close(), smtp.close()]);
    },
  };
}

/** In the form of several providers' errors at once: a list of messages. */
const refused = (message: string, status = 400): CloneResponse => json({ errors: [{ message }] }, status);
const idOf = (mail: Json): string => (isRecord(mail) ? String(mail.id) : "");
const recipientsOf = (mail: Json): string[] =>
  isRecord(mail) && Array.isArray(mail.to) ? mail.to.map(String) : [];

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** `a@b.c`, `Ada <a@b.c>`, `{ email }`, or a list of them. */
function addresses(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(addresses);
  const given = isRecord(value) ? text(value.email) : text(value);
  return given
    .split(",")
    .map((one) => /<([^<>]*)>/.exec(one)?.[1] ?? one)
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

function plainMail(fields: Record<string, Json>): Mail | null {
  const [from] = addresses(fields.from);
  const to = [...addresses(fields.to), ...addresses(fields.cc), ...addresses(fields.bcc)];
  if (!from || to.length === 0) return null;
  return { from, to, subject: text(fields.subject), text: text(fields.text), html: text(fields.html) };
}

function personalisedMail(fields: Record<string, Json>): Mail | null {
  const [from] = addresses(fields.from);
  const persons = Array.isArray(fields.personalizations) ? fields.personalizations.filter(isRecord) : [];
  const to = persons.flatMap((one) => [...addresses(one.to), ...addresses(one.cc), ...addresses(one.bcc)]);
  if (!from || to.length === 0) return null;
  const contents = Array.isArray(fields.content) ? fields.content.filter(isRecord) : [];
  const content = (type: string) => text(contents.find((one) => one.type === type)?.value);
  return {
    from,
    to,
    subject: text(fields.subject) || text(persons[0]?.subject),
    text: content("text/plain"),
    html: content("text/html"),
  };
}
