import { isRecord, record } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/** Version 3 records network traffic as HAR entries; before, as a flat record of its own. */
export const v2ToV3: UpgradeStep = (event) => {
  const flat = record(event.snapshot);
  if (event.type !== "resource-snapshot" || isRecord(flat.request)) return [event];
  const snapshot = {
    _frameref: flat.frameId,
    pageref: flat.pageId,
    _resourceType: flat.type,
    _monotonicTime: flat.timestamp,
    request: {
      url: flat.url,
      method: flat.method,
      headers: flat.requestHeaders,
      postData: flat.requestSha1 ? { _sha1: flat.requestSha1 } : undefined,
    },
    response: {
      status: flat.status,
      headers: flat.responseHeaders,
      content: { mimeType: flat.contentType, _sha1: flat.responseSha1 },
    },
  };
  return [{ ...event, snapshot }];
};
