import { signal } from "@preact/signals";
import type { TraceModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";

/** Whether the chat stands beside the trace, and how often its field was asked for. */
export const askState = perModel((_model: TraceModel) => ({
  isOpen: signal(false),
  focusRequests: signal(0),
}));

/** Opens the chat and puts the cursor into its field. False on a page that has none: a shared one. */
export function openAsk(model: TraceModel): boolean {
  if (model.source.isShared || !model.detail.peek()) return false;
  const { isOpen, focusRequests } = askState(model);
  isOpen.value = true;
  focusRequests.value += 1;
  return true;
}

/** @returns whether it was open */
export function closeAsk(model: TraceModel): boolean {
  const { isOpen } = askState(model);
  const was = isOpen.peek();
  isOpen.value = false;
  return was;
}
