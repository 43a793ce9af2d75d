import type { ComponentChildren, JSX } from "preact";
import { Close } from "../../ui/icons.tsx";
import { Split } from "../../ui/split.tsx";
import { useModel } from "../model/model.ts";
import type { TabId } from "../model/tabs.ts";

interface ListWithDetailProps {
  /** Key under which the height is remembered. */
  id: string;
  /** Of the edge between the two. */
  label: string;
  /** Height of what is opened in CSS pixels, until it is dragged. */
  initial: number;
  list: JSX.Element;
  /** What is opened of the list; null for nothing. */
  detail: JSX.Element | null;
}

/** The list of a panel, and below it what is opened of it. */
export function ListWithDetail({ id, label, initial, list, detail }: ListWithDetailProps): JSX.Element {
  if (!detail) return list;
  return (
    <Split
      id={id}
      label={label}
      direction="column"
      fixed="end"
      initial={initial}
      min={90}
      rest={80}
      start={list}
      end={detail}
    />
  );
}

interface DetailProps {
  tab: TabId;
  /** What it is, and what can be done with it. */
  head: ComponentChildren;
  children: ComponentChildren;
}

/** What is opened of a panel's list. Its head closes it. */
export function Detail({ tab, head, children }: DetailProps): JSX.Element {
  const model = useModel();
  return (
    <div class="panel-column detail">
      <div class="toolbar">
        {head}
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          title="Close ( Esc )"
          onClick={() => model.openEvent(tab, null)}
        >
          <Close />
        </button>
      </div>
      {children}
    </div>
  );
}
