import type { ComponentChildren, JSX } from "preact";

interface ScrollPaneProps {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A part of the page that scrolls on its own, by keyboard too. */
export function ScrollPane(props: ScrollPaneProps): JSX.Element {
  return (
    <div
      class={props.class ? `panel-scroll ${props.class}` : "panel-scroll"}
      role="group"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
      tabIndex={0}
    >
      {props.children}
    </div>
  );
}
