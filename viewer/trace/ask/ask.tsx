import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Failed, Loading } from "../../ui/message.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { hasNeighbour } from "../model/dock.ts";
import { useModel } from "../model/model.ts";
import { askState } from "./state.ts";

/** The chat beside the trace, once it is asked for: its script comes then. */
export function Ask(): JSX.Element | null {
  const isOpen = askState(useModel()).isOpen.value;
  const { data, error } = useLoad(isOpen ? "ask" : null, async () => ({
    Pane: (await import("./pane.tsx")).AskPane,
  }));
  useLayoutEffect(() => {
    hasNeighbour.value = isOpen;
    return () => {
      hasNeighbour.value = false;
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <aside class="ask" aria-label="Ask about this trace">
      {data ? (
        <data.Pane />
      ) : error ? (
        <Failed error={new Error("The script of the chat could not be loaded. Reload to try again.")} />
      ) : (
        <Loading label="Opening the chat" />
      )}
    </aside>
  );
}
