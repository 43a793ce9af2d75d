import type { Usage } from "../../server/identity/billing/model.ts";
import type {
  Accepted,
  CreatedInvitation,
  InvitationList,
  OpenedInvitation,
} from "../../server/identity/invitations/model.ts";
import type { MemberList } from "../../server/identity/members/model.ts";
import type { OrgList, OrgView } from "../../server/identity/orgs/model.ts";
import type { SecretView } from "../../server/identity/secrets/model.ts";
import type { Role } from "../../store/records/schema.ts";
import { getJson, postJson, send, withQuery } from "./request.ts";

export type { CreatedInvitation, MemberList, OpenedInvitation, OrgList, OrgView, Role, SecretView, Usage };
export type Member = MemberList["items"][number];
export type Invitation = InvitationList["items"][number];
export type Org = OrgList["items"][number];

const JSON_BODY = { "content-type": "application/json" };

async function act(method: string, path: string, body?: unknown): Promise<void> {
  await send(path, {
    method,
    ...(body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) }),
  });
}

/** What the pages of the org ask the server for, and have it do. */
export const orgApi = {
  mine: (signal?: AbortSignal) => getJson<OrgList>("/v1/orgs", signal),
  show: (id: string, signal?: AbortSignal) => getJson<OrgView>(`/v1/orgs/${id}`, signal),
  create: (slug: string, name: string) => postJson<OrgView>("/v1/orgs", { slug, name }),
  rename: (id: string, name: string) => act("PATCH", `/v1/orgs/${id}`, { name }),
  openStatus: (id: string, isPublic: boolean) => act("PATCH", `/v1/orgs/${id}`, { status_page: isPublic }),
  transfer: (id: string, userId: string) => act("POST", `/v1/orgs/${id}/transfer`, { user_id: userId }),
  leave: (id: string) => act("POST", `/v1/orgs/${id}/leave`),
  remove: (id: string, slug: string) => act("DELETE", withQuery(`/v1/orgs/${id}`, { slug })),
  switchTo: (id: string) => act("POST", "/v1/session/org", { org_id: id }),
  members: (cursor: string | null, signal?: AbortSignal) =>
    getJson<MemberList>(withQuery("/v1/members", { limit: 200, cursor }), signal),
  setRole: (userId: string, role: Role) => act("PATCH", `/v1/members/${userId}`, { role }),
  dismiss: (userId: string) => act("DELETE", `/v1/members/${userId}`),
  invitations: (signal?: AbortSignal) => getJson<InvitationList>("/v1/invitations", signal),
  invite: (email: string, role: Role) => postJson<CreatedInvitation>("/v1/invitations", { email, role }),
  revoke: (id: string) => act("DELETE", `/v1/invitations/${id}`),
  openInvitation: (token: string) => postJson<OpenedInvitation>("/v1/invitations/open", { token }),
  accept: (token: string, given: { name?: string; password?: string }) =>
    postJson<Accepted>("/v1/invitations/accept", { token, ...given }),
  secrets: (signal?: AbortSignal) => getJson<{ items: SecretView[] }>("/v1/secrets", signal),
  setSecret: (name: string, value: string, origins: string[]) =>
    act("PUT", `/v1/secrets/${encodeURIComponent(name)}`, {
      value,
      ...(origins.length > 0 ? { origins } : {}),
    }),
  removeSecret: (name: string) => act("DELETE", `/v1/secrets/${encodeURIComponent(name)}`),
  usage: (signal?: AbortSignal) => getJson<Usage>("/v1/billing/usage", signal),
};
