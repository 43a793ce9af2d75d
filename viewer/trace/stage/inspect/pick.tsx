import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Crosshair } from "../../../ui/icons.tsx";
import { useKeys } from "../../../ui/keyboard.ts";
import { oneLine } from "../../../ui/text.ts";
import { useModel } from "../../model/model.ts";
import type { Direction } from "./protocol.ts";
import { inspectState, send, startPick, stopPick } from "./state.ts";

/** Begins and ends the choice of an element on the recorded page. */
export function PickButton(): JSX.Element {
  const model = useModel();
  const { isPicking } = inspectState(model);
  const toggle = (): true => {
    if (isPicking.peek()) stopPick(model);
    else startPick(model);
    return true;
  };
  useKeys([{ keys: ["p"], label: "Pick an element of the page", group: "Page", run: toggle }]);
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isPicking.value}
      title="Pick an element of the page ( p )"
      onClick={toggle}
    >
      <Crosshair /> Pick
    </button>
  );
}

const MOVES: [key: string, direction: Direction, label: string][] = [
  ["ArrowUp", "parent", "Around it"],
  ["ArrowDown", "child", "Within it"],
  ["ArrowLeft", "previous", "The one before"],
  ["ArrowRight", "next", "The next one"],
];

/** While an element is being picked: what the pick is at, and the keys that move it. */
export function PickBar(): JSX.Element | null {
  const model = useModel();
  return inspectState(model).isPicking.value ? <Picking /> : null;
}

function Picking(): JSX.Element {
  const model = useModel();
  const { link, hovered } = inspectState(model);
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => bar.current?.focus(), []);
  // Before the bar asks to point or press a key: what is pressed is sent after it.
  useLayoutEffect(() => {
    const at = link.value;
    if (!at) return;
    send(at, "pick", true, at.scale());
    return () => send(at, "pick", false, at.scale());
  }, [link.value]);
  useKeys([
    ...MOVES.map(([key, direction, label]) => ({
      keys: [key],
      label,
      group: "Pick",
      run: () => {
        send(link.peek(), "move", direction);
        return true;
      },
    })),
    {
      keys: ["Enter"],
      label: "Choose it",
      group: "Pick",
      run: () => {
        send(link.peek(), "choose");
        return true;
      },
    },
    {
      keys: ["Escape"],
      label: "Leave the pick",
      group: "Pick",
      run: () => {
        stopPick(model);
        return true;
      },
    },
  ]);
  const at = hovered.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys of the pick are pressed here
    <div class="pick-bar" role="group" aria-label="Picking an element" tabIndex={0} ref={bar}>
      <span class="ellipsis" role="status">
        {at ? (
          <>
            <code class="captured">{oneLine(at.tag, 80)}</code>
            {at.role && at.role !== at.tag && <> {oneLine(at.role, 40)}</>}
            {at.name && <span class="captured"> “{oneLine(at.name, 120)}”</span>}
          </>
        ) : link.value ? (
          "Point at an element, or use the arrow keys."
        ) : (
          "The page is being made ready…"
        )}
      </span>
      <span class="dim pick-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd> move <kbd>Enter</kbd> choose <kbd>Esc</kbd> leave
      </span>
    </div>
  );
}
