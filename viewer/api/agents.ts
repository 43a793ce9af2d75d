import type { GrantList } from "../../server/identity/oauth/model.ts";
import { getJson, send, withQuery } from "./request.ts";

/** Agents that people have let in. */
export const agentsApi = {
  grants: (cursor: string | null, signal?: AbortSignal) =>
    getJson<GrantList>(withQuery("/v1/oauth/grants", { limit: 100, cursor }), signal),
  end: async (id: string) => {
    await send(`/v1/oauth/grants/${id}`, { method: "DELETE" });
  },
  /** `client` is its id here. */
  setApproved: async (client: string, isApproved: boolean) => {
    await send(`/v1/oauth/clients/${client}/approval`, { method: isApproved ? "PUT" : "DELETE" });
  },
};
