import type { JSX } from "preact";
import type { TraceListItem } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";

export interface PreviewTarget {
  item: TraceListItem;
  blob: string;
  x: number;
  y: number;
}

const WIDTH = 360;
const HEIGHT = 260;
const GAP = 24;

/** The last picture of the page, beside the pointer. */
export function Preview({ target }: { target: PreviewTarget | null }): JSX.Element | null {
  const url = target ? api.blobUrl(target.item.id, target.blob) : null;
  if (!target || !url) return null;
  const left = target.x + GAP + WIDTH > innerWidth ? target.x - GAP - WIDTH : target.x + GAP;
  const top = Math.max(8, Math.min(target.y + 12, innerHeight - HEIGHT - 8));
  return (
    <div class="preview" style={{ left: `${Math.max(8, left)}px`, top: `${top}px`, width: `${WIDTH}px` }}>
      <img key={url} src={url} alt="" />
    </div>
  );
}
