import { list, type Raw, record, text } from "../shape.ts";
import { remember, type UpgradeState, type UpgradeStep } from "./step.ts";

/**
 * Version 9 names files by their path in the archive (screencast frames have a folder of their own) and a snapshot by
 * action and phase; before, files were names within `resources/`, and an action named its snapshots.
 */
export const v8ToV9: UpgradeStep = (event, state) => {
  switch (event.type) {
    case "before":
    case "input":
      rememberPhases(event, state);
      return [event];
    case "after":
    case "action":
      rememberPhases(event, state);
      return [
        {
          ...event,
          attachments: event.attachments && list(event.attachments).map(record).map(filed("sha1", "file")),
        },
      ];
    case "screencast-frame":
      return [filed("sha1", "file")(event)];
    case "frame-snapshot": {
      const snapshot = record(event.snapshot);
      const name = text(snapshot.snapshotName) ?? "";
      return [
        { ...event, snapshot: { ...snapshot, phase: state.snapshotPhases.get(name) ?? phaseOf(name) } },
      ];
    }
    case "resource-snapshot":
      return [{ ...event, snapshot: withFiles(record(event.snapshot)) }];
    default:
      return [event];
  }
};

function rememberPhases(event: Raw, state: UpgradeState): void {
  const phases = { beforeSnapshot: "before", inputSnapshot: "action", afterSnapshot: "after" } as const;
  for (const [field, phase] of Object.entries(phases)) {
    const name = text(event[field]);
    if (name) remember(state.snapshotPhases, name, phase);
  }
}

/** Before version 4 the action's line comes after its snapshots, whose names begin with the phase. */
function phaseOf(name: string): string | undefined {
  const [phase] = name.split("@");
  return phase === "input" ? "action" : phase || undefined;
}

const filed =
  (from: string, to: string) =>
  (holder: Raw): Raw => {
    const name = text(holder[from]);
    if (!name) return holder;
    const { [from]: _, ...rest } = holder;
    return { ...rest, [to]: `resources/${name}` };
  };

function withFiles(entry: Raw): Raw {
  const { _apiRequest, ...rest } = entry;
  const request = record(entry.request);
  const response = record(entry.response);
  const inPath = filed("_sha1", "_file");
  return {
    ...rest,
    ...(_apiRequest ? { _apiRequestRef: "api-request-context" } : {}),
    request: { ...request, postData: request.postData && inPath(record(request.postData)) },
    response: { ...response, content: inPath(record(response.content)) },
  };
}
