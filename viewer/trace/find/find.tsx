import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Failed } from "../../ui/message.tsx";
import { Split } from "../../ui/split.tsx";
import { holdKeys } from "../../ui/type-ahead.ts";
import { useLoad } from "../../ui/use-load.ts";
import { closeFind, findState } from "../model/find.ts";
import { useModel } from "../model/model.ts";
import { StepPane } from "../steps/step-pane.tsx";

/** The search, once it is asked for: its script comes then. */
export function Find(): JSX.Element | null {
  const model = useModel();
  const { text, focusRequests } = findState(model);
  const isOpen = text.value !== null;
  const { data, error } = useLoad(isOpen ? "find" : null, async () => ({
    Pane: (await import("./pane.tsx")).FindPane,
  }));
  const isAwaited = isOpen && focusRequests.value > 0 && !data && !error;
  // Before the next key, which is meant for the field.
  useLayoutEffect(() => {
    if (!isAwaited) return;
    const take = holdKeys(() => closeFind(model));
    return () => {
      const typed = take();
      if (typed && text.peek() !== null) text.value += typed;
    };
  }, [isAwaited]);
  if (error)
    return <Failed error={new Error("The script of the search could not be loaded. Reload to try again.")} />;
  return data ? <data.Pane /> : null;
}

/** The steps, below the search while there is one. */
export function StepColumn(): JSX.Element {
  if (findState(useModel()).text.value === null) return <StepPane />;
  return (
    <Split
      id="find"
      label="Height of the search"
      direction="column"
      fixed="start"
      initial={360}
      min={120}
      rest={100}
      start={<Find />}
      end={<StepPane />}
    />
  );
}
