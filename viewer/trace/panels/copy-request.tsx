import type { JSX } from "preact";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { askPatiently } from "../../api/patience.ts";
import { errorText, toApiError } from "../../api/request.ts";
import { blobHash } from "../../api/trace-source.ts";
import { Copy } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { copyText, notify } from "../../ui/toast.tsx";
import { useModel } from "../model/model.ts";
import type { NetworkRow } from "../model/network.ts";
import { type CodeRequest, curlCode, fetchCode, playwrightCode } from "../model/request-code.ts";
import { readEvent } from "../model/use-event.ts";
import { headersOf } from "./headers.ts";

/** Larger bodies fit neither a command line nor a test. */
const LARGEST_BODY = 100_000;

const FORMS: readonly (readonly [name: string, write: (request: CodeRequest) => string])[] = [
  ["cURL", curlCode],
  ["fetch", fetchCode],
  ["Playwright code", playwrightCode],
];

/** The body that was sent, text as text. Null for none; @throws Error when it is too large or cannot be read. */
async function bodyOf(
  event: TraceEvent | null,
  blobUrl: (reference: string) => string | null,
): Promise<CodeRequest["body"]> {
  if (typeof event?.body !== "string" || event.body === "") return null;
  const url = blobHash(event.body) ? blobUrl(event.body) : null;
  if (url === null) return sized(event.body, event.body.length);
  const signal = AbortSignal.timeout(15_000);
  const response = await askPatiently(() => fetch(url, { signal }), signal);
  if (!response.ok) throw toApiError(response.status, await response.text());
  const bytes = new Uint8Array(await response.arrayBuffer());
  try {
    return sized(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), bytes.length);
  } catch (error) {
    if (error instanceof TypeError) return sized(bytes, bytes.length);
    throw error;
  }
}

function sized<Body>(body: Body, size: number): Body {
  if (size <= LARGEST_BODY) return body;
  throw new Error("The body of this request is too large to be copied as code. The HAR download has it.");
}

/** Copies a request as code that sends it again, or only its address. */
export function CopyRequest({ row }: { row: NetworkRow }): JSX.Element {
  const model = useModel();
  async function copy(name: string, write: (request: CodeRequest) => string): Promise<void> {
    try {
      // It may still be on its way: without it headers and body would be missing.
      const request = await readEvent(model, row.requestSeq);
      const url = typeof request?.url === "string" ? request.url : row.url;
      const body = await bodyOf(request, model.source.blobUrl);
      await copyText(write({ method: row.method, url, headers: headersOf(request), body }), name);
    } catch (error) {
      notify(errorText(error), { isError: true });
    }
  }
  return (
    <Menu
      label="Copy the request"
      button={<Copy />}
      items={[
        ...FORMS.map(([name, write]) => ({ label: `Copy as ${name}`, run: () => void copy(name, write) })),
        { label: "Copy the address", run: () => void copyText(row.url, "Address") },
      ]}
    />
  );
}
