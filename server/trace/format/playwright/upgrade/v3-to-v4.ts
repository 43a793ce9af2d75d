import { list, type Raw, record, text } from "../shape.ts";
import type { UpgradeStep } from "./step.ts";

/**
 * Version 4 takes an action's fields out of `metadata`, gives console messages lines of their own, and no longer
 * records Playwright's internal calls. It may also split an action into before and after lines, which newer versions
 * do throughout; a whole action line stays valid.
 */
export const v3ToV4: UpgradeStep = (event) => {
  if (event.type !== "action" && event.type !== "event") return [event];
  const metadata = record(event.metadata);
  const method = text(metadata.method) ?? "";
  if (metadata.internal || method.startsWith("tracing")) return [];
  return [event.type === "action" ? action(metadata, method) : happening(metadata, method)];
};

function action(metadata: Raw, method: string): Raw {
  return {
    type: "action",
    callId: metadata.id,
    startTime: metadata.startTime,
    endTime: metadata.endTime,
    apiName: metadata.apiName || `${text(metadata.type) ?? "Object"}.${method}`,
    class: metadata.type,
    method,
    params: metadata.params,
    wallTime: metadata.wallTime,
    log: metadata.log,
    beforeSnapshot: snapshotNamed(metadata, "before"),
    inputSnapshot: snapshotNamed(metadata, "input"),
    afterSnapshot: snapshotNamed(metadata, "after"),
    error: record(metadata.error).error,
    result: metadata.result,
    point: metadata.point,
    pageId: metadata.pageId,
    stack: metadata.stack,
  };
}

function happening(metadata: Raw, method: string): Raw {
  const params = record(metadata.params);
  if (method === "__create__" && params.type === "ConsoleMessage")
    return { type: "object", class: "ConsoleMessage", guid: params.guid, initializer: params.initializer };
  return {
    type: "event",
    time: metadata.startTime,
    class: metadata.type,
    method,
    params: metadata.params,
    pageId: metadata.pageId,
  };
}

function snapshotNamed(metadata: Raw, title: string): unknown {
  return list(metadata.snapshots)
    .map(record)
    .find((snapshot) => snapshot.title === title)?.snapshotName;
}
