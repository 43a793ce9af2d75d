import type { MailList, OpenedMail } from "../../server/identity/mail/model.ts";
import type { Profile, ProfileChange } from "../../server/identity/profile/model.ts";
import type { SessionList } from "../../server/identity/sessions/model.ts";
import type { SsoTest, SsoView } from "../../server/identity/sso/model.ts";
import { getJson, postJson, send, withQuery } from "./request.ts";

const sendJson = (method: string, path: string, body: object): Promise<Response> =>
  send(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** What people ask and have done about their own account, its sessions and how the org signs in. */
export const account = {
  profile: (signal?: AbortSignal) => getJson<Profile>("/v1/profile", signal),
  change: async (change: ProfileChange) =>
    (await (await sendJson("PATCH", "/v1/profile", change)).json()) as Profile,
  setPassword: async (change: { current_password?: string; new_password: string }) => {
    await sendJson("PUT", "/v1/profile/password", change);
  },
  requestEmail: async (change: { email: string; current_password?: string }) => {
    await sendJson("POST", "/v1/profile/email", change);
  },
  confirmEmail: (code: string) => postJson<{ email: string }>("/v1/profile/email/confirm", { code }),
  sessions: (signal?: AbortSignal) => getJson<SessionList>("/v1/sessions", signal),
  endSession: async (id: string) => {
    await send(`/v1/sessions/${id}`, { method: "DELETE" });
  },
  endOtherSessions: async () =>
    (await (await send("/v1/sessions", { method: "DELETE" })).json()) as { ended: number },
  sso: (signal?: AbortSignal) => getJson<SsoView>("/v1/sso", signal),
  testSso: () => postJson<SsoTest>("/v1/sso/test"),
  mails: (cursor: string | null, signal?: AbortSignal) =>
    getJson<MailList>(withQuery("/v1/mail", { cursor, limit: 50 }), signal),
  mail: (id: string, signal?: AbortSignal) => getJson<OpenedMail>(`/v1/mail/${id}`, signal),
};
