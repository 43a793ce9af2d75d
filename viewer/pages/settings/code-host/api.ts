import type { CodeHostCheck, CodeHostState } from "../../../../server/gate/code-host/model.ts";
import type { InboundDelivery } from "../../../../server/gate/inbound-deliveries/model.ts";
import { getJson, postJson, withQuery } from "../../../api/request.ts";

export type { CodeHostCheck, CodeHostState, InboundDelivery };

/** What the page of the code host asks the server for, and has it do. */
export const codeHostApi = {
  state: (signal?: AbortSignal) => getJson<CodeHostState>("/v1/code-host", signal),
  check: () => getJson<CodeHostCheck>("/v1/code-host/check"),
  deliveries: (query: { limit: number; cursor?: string | undefined }, signal?: AbortSignal) =>
    getJson<{ items: InboundDelivery[]; next_cursor: string | null }>(
      withQuery("/v1/inbound-deliveries", query),
      signal,
    ),
  replay: (id: string) => postJson<InboundDelivery>(`/v1/inbound-deliveries/${id}/replay`),
};
