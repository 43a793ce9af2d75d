import { list, type Raw, record, text } from "../shape.ts";
import { remember, type UpgradeState, type UpgradeStep } from "./step.ts";

/**
 * Version 5 records a console message as one line; before, one line defined the message (its arguments pointing to
 * handles defined by others) and a second told when it came.
 */
export const v4ToV5: UpgradeStep = (event, state) => {
  const params = record(event.params);
  if (event.type === "event" && event.method === "__create__" && params.type === "JSHandle") {
    const guid = text(params.guid);
    if (guid) remember(state.handles, guid, record(params.initializer));
    return [];
  }
  if (event.type === "object") {
    const guid = text(event.guid);
    if (event.class === "ConsoleMessage" && guid)
      remember(state.consoleMessages, guid, message(event, state));
    return [];
  }
  if (event.type !== "event" || event.method !== "console") return [event];
  const known = state.consoleMessages.get(text(record(params.message).guid) ?? "");
  return known ? [{ ...known, type: "console", time: event.time, pageId: event.pageId }] : [];
};

function message(event: Raw, state: UpgradeState): Raw {
  const initializer = record(event.initializer);
  const args = list(initializer.args)
    .map(record)
    .map((argument) => {
      const handle = state.handles.get(text(argument.guid) ?? "");
      return { preview: handle?.preview ?? argument.preview ?? "" };
    });
  // A message made of handles only has an empty text; what the console showed are the previews.
  const shown = text(initializer.text) ?? args.map(({ preview }) => preview).join(" ");
  return { messageType: initializer.type, text: shown, location: initializer.location, args };
}
