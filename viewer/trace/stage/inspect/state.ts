import { batch, type Signal, signal } from "@preact/signals";
import type { PageSnapshot } from "../../../api/answers.ts";
import { isAbort } from "../../../api/request.ts";
import { notify } from "../../../ui/toast.tsx";
import type { TraceModel } from "../../model/model.ts";
import { perModel } from "../../model/scope.ts";
import { hasPages, showPage } from "../view-switch.tsx";
import { isInspected, type Link, openLink } from "./link.ts";
import type { Brief, Calls, ElementId } from "./protocol.ts";

export interface InspectState {
  /** Pages are loaded with the inspector in them, from the first wish on. */
  isWanted: Signal<boolean>;
  isPicking: Signal<boolean>;
  /** What the pick is at. */
  hovered: Signal<Brief | null>;
  /** No page was recorded of the step. */
  isMissing: Signal<boolean>;
  link: Signal<Link | null>;
  chosen: Signal<{ url: string; id: ElementId } | null>;
  /** What was typed to be tried; null follows the step. */
  typed: Signal<string | null>;
  testIdAttribute: Signal<string>;
  view: Signal<"element" | "tree">;
}

/** What is being inspected of a trace's pages: shared by the stage and the panel. */
export const inspectState = perModel(
  (_model: TraceModel): InspectState => ({
    isWanted: signal(false),
    isPicking: signal(false),
    hovered: signal(null),
    isMissing: signal(false),
    link: signal(null),
    chosen: signal(null),
    typed: signal(null),
    testIdAttribute: signal("data-testid"),
    view: signal<"element" | "tree">("element"),
  }),
);

/** The address at which the stage shows a page: with the inspector in it once somebody wants to inspect. */
export function pageUrl(model: TraceModel, snapshot: PageSnapshot): string {
  return (inspectState(model).isWanted.value && snapshot.inspect_url) || snapshot.html_url;
}

/** Whether elements of this trace's pages can be inspected: a server must give out the pages with the inspector. */
export const canInspect = (model: TraceModel): boolean => model.source.file === null && hasPages(model);

/** What a frame at an address may do: nothing, or run the inspector. Never anything of this page's origin. */
export const sandboxOf = (url: string): string => (isInspected(url) ? "allow-scripts" : "");

/** A frame has loaded: where it holds an inspected page, the line to it opens. */
export function attach(model: TraceModel, frame: HTMLIFrameElement): void {
  const state = inspectState(model);
  if (!isInspected(frame.src)) return;
  detach(model);
  const link = openLink(frame, (told) => {
    if (told.kind === "hovered") state.hovered.value = told.news;
    else if (told.kind === "left") stopPick(model);
    else
      batch(() => {
        stopPick(model);
        choose(model, told.news);
        model.selectTab("inspect");
      });
  });
  state.link.value = link;
}

/** The frames are gone, or are about to be. */
export function detach(model: TraceModel): void {
  const { link } = inspectState(model);
  link.peek()?.close();
  link.value = null;
}

export function choose(model: TraceModel, id: ElementId): void {
  const { chosen, link, view } = inspectState(model);
  const url = link.peek()?.url;
  if (!url) return;
  chosen.value = { url, id };
  view.value = "element";
}

export function startPick(model: TraceModel): void {
  const { isPicking, isWanted, hovered } = inspectState(model);
  batch(() => {
    showPage(model);
    isWanted.value = true;
    isPicking.value = true;
    hovered.value = null;
  });
}

export function stopPick(model: TraceModel): void {
  const { isPicking, hovered } = inspectState(model);
  if (!isPicking.peek()) return;
  batch(() => {
    isPicking.value = false;
    hovered.value = null;
  });
}

/** A call whose answer nobody waits for: what goes wrong is said in passing. */
export function send<Name extends "outline" | "pick" | "move" | "choose">(
  link: Link | null,
  name: Name,
  ...args: Parameters<Calls[Name]>
): void {
  link?.call(name, ...args).catch((error: unknown) => {
    if (!isAbort(error)) notify(error instanceof Error ? error.message : String(error), { isError: true });
  });
}
