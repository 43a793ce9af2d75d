import type { SignupView } from "../../../../server/identity/agent-signup/model.ts";
import type { CreatedKey, KeyList, KeyView, NewKey } from "../../../../server/identity/keys/model.ts";
import { getJson, postJson, send, withQuery } from "../../../api/request.ts";

const PAGE = 200;
/** An org has at most a thousand keys, and its people some tokens each. */
const MOST_PAGES = 10;

export const tokensApi = {
  /** All that the reader may see, newest first. */
  async list(signal?: AbortSignal): Promise<KeyView[]> {
    const items: KeyView[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const found: KeyList = await getJson(withQuery("/v1/api-keys", { limit: PAGE, cursor }), signal);
      items.push(...found.items);
      cursor = found.next_cursor;
      if (cursor === null) break;
    }
    return items;
  },
  create: (wanted: NewKey) => postJson<CreatedKey>("/v1/api-keys", wanted),
  revoke: async (id: string) => {
    await send(`/v1/api-keys/${id}`, { method: "DELETE" });
  },
  lookUp: (code: string) => postJson<SignupView>("/v1/agent-signup/lookup", { user_code: code }),
  grant: (code: string, scopes: string[], expiresAt: string | null) =>
    postJson<KeyView>("/v1/agent-signup/grant", { user_code: code, scopes, expires_at: expiresAt }),
  refuse: async (code: string) => {
    const headers = { "content-type": "application/json" };
    await send("/v1/agent-signup/refuse", {
      method: "POST",
      headers,
      body: JSON.stringify({ user_code: code }),
    });
  },
};
