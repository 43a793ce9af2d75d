import type { JSX } from "preact";

interface IconProps {
  /** Says what the icon means where no words stand beside it. */
  label?: string;
  class?: string;
}

/** How it is drawn is in the style sheet: attributes would cost a first screen a third of the time its styles take. */
function icon(paths: string, options: { fill?: boolean } = {}) {
  return function Icon({ label, class: name }: IconProps): JSX.Element {
    return (
      <svg
        class={[options.fill ? "icon is-solid" : "icon", name].filter(Boolean).join(" ")}
        viewBox="0 0 16 16"
        role={label ? "img" : undefined}
        aria-label={label}
        aria-hidden={label ? undefined : "true"}
      >
        <path d={paths} />
      </svg>
    );
  };
}

export type Icon = ReturnType<typeof icon>;

const RING = "M8 1.75a6.25 6.25 0 1 1 0 12.5a6.25 6.25 0 0 1 0-12.5z";

export const CheckCircle = icon(`${RING}M5.2 8.3l2 2 3.7-4.2`);
export const CrossCircle = icon(`${RING}M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2`);
export const Crosshair = icon(`${RING}M8 .9v3.4M8 11.7v3.4M.9 8h3.4M11.7 8h3.4`);
export const Warning = icon("M8 2.2l6.2 11.3H1.8zM8 6.6v3.2M8 11.7v.1");
export const StopCircle = icon(`${RING}M6.1 6.1h3.8v3.8H6.1z`);
export const Clock = icon(`${RING}M8 4.7V8l2.2 1.6`);
export const Play = icon(`${RING}M6.7 5.5L10.4 8l-3.7 2.5z`);
export const PlaySolid = icon("M4.8 2.9v10.2L13 8z", { fill: true });
export const Pause = icon("M4.4 3h2.5v10H4.4zM9.1 3h2.5v10H9.1z", { fill: true });
export const Info = icon(`${RING}M8 7.3v3.5M8 5.1v.1`);
export const Pin = icon("M5.6 2h4.8M6.4 2v4.2L4.2 8.8v.9h7.6v-.9L9.6 6.2V2M8 9.7V14");
export const Search = icon("M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9zM10.4 10.4L14 14");
export const Upload = icon("M8 10.5V2.5M4.8 5.5L8 2.3l3.2 3.2M2.5 10.5v3h11v-3");
export const Download = icon("M8 2.5v8M4.8 7.5L8 10.7l3.2-3.2M2.5 10.5v3h11v-3");
export const Share = icon(
  "M6 9.9L10 6.1M9 3.9l1.2-1.1a2.6 2.6 0 0 1 3.6 3.7L12 8.2M7 12.1l-1.2 1.1a2.6 2.6 0 0 1-3.6-3.7L4 7.8",
);
export const External = icon("M9.5 2.5h4v4M13.3 2.7L7.5 8.5M11.5 9.5v4h-9v-9h4");
export const Copy = icon("M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z");
export const ChevronRight = icon("M6 3.8L10.2 8 6 12.2");
export const ChevronDown = icon("M3.8 6L8 10.2 12.2 6");
export const ChevronLeft = icon("M10 3.8L5.8 8l4.2 4.2");
export const Close = icon("M4 4l8 8M12 4l-8 8");
export const Sun = icon(
  "M8 5.3a2.7 2.7 0 1 1 0 5.4a2.7 2.7 0 0 1 0-5.4zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
);
export const Moon = icon("M13.2 9.6A5.7 5.7 0 0 1 6.4 2.8a5.7 5.7 0 1 0 6.8 6.8z");
export const Monitor = icon("M2 3h12v8H2zM6 13.5h4M8 11v2.5");
export const Help = icon(
  `${RING}M6.3 6.4c.1-1 .8-1.6 1.7-1.6 1 0 1.7.6 1.7 1.5 0 1.3-1.7 1.3-1.7 2.5M8 11v.1`,
);
export const Picture = icon("M2 3h12v10H2zM2.3 11.4l3.4-3.4 2.6 2.6 2-2 3.4 3.2M10.6 6v.1");
export const Steps = icon("M2.5 4h.1M2.5 8h.1M2.5 12h.1M5.5 4h8M5.5 8h8M5.5 12h8");
export const Network = icon("M2.5 5.5h9M9 2.8l2.7 2.7L9 8.2M13.5 10.5h-9M7 7.8l-2.7 2.7L7 13.2");
export const Terminal = icon("M2.5 3.5h11v9h-11zM5 6.5L6.8 8 5 9.5M8.5 10h2.5");
export const Call = icon(
  "M6 3C4.3 3 4.8 5 4.6 6.4 4.5 7.4 3.8 8 3 8c.8 0 1.5.6 1.6 1.6C4.8 11 4.3 13 6 13M10 3c1.7 0 1.2 2 1.4 3.4.1 1 .8 1.6 1.6 1.6-.8 0-1.5.6-1.6 1.6-.2 1.4.3 3.4-1.4 3.4",
);
export const Events = icon("M2.5 3.5h11M2.5 6.5h7M2.5 9.5h11M2.5 12.5h5");
export const Menu = icon("M2.5 4h11M2.5 8h11M2.5 12h11");
export const More = icon("M4 8h.1M8 8h.1M12 8h.1");
export const Snow = icon(
  "M8 1.8v12.4M2.6 4.9l10.8 6.2M13.4 4.9L2.6 11.1M6.4 3L8 4.5 9.6 3M6.4 13L8 11.5 9.6 13",
);
export const Filter = icon("M2 3.5h12L9.5 8.8v4l-3-1.4V8.8z");
export const DockRight = icon("M2 3h12v10H2zM10 3v10");
export const DockBottom = icon("M2 3h12v10H2zM2 9.5h12");
export const Trash = icon("M2.8 4.2h10.4M6 4V2.5h4V4M4 4.4l.6 9.1h6.8l.6-9.1");
export const Restore = icon("M3 3v3.5h3.5M3.2 6.3A5.4 5.4 0 1 1 2.6 9");
export const Disk = icon("M2 8.5h12v4.5H2zM2 8.5L4 3h8l2 5.5M11.3 10.8h.1");
export const Document = icon("M4 1.8h5.5L12.5 5v9.2H4zM9.3 2v3.2h3M6 8h4.4M6 10.8h4.4");
export const ArrowUp = icon("M8 13V3.5M4 7.2L8 3.2l4 4");
export const ArrowDown = icon("M8 3v9.5M4 8.8l4 4 4-4");
export const SignOut = icon("M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6");
export const Pointer = icon("M3.5 2.5l3.6 10.4 1.7-4.1 4.2-1.7z");
export const Thought = icon(
  "M8 2.5c3.3 0 6 2 6 4.7s-2.7 4.7-6 4.7c-.6 0-1.2-.1-1.8-.2L3.5 13.5l.5-2.9C2.8 9.8 2 8.6 2 7.2c0-2.7 2.7-4.7 6-4.7z",
);
export const Speech = icon("M2.5 3h11v8H8l-3 2.6V11H2.5z");
export const Tick = icon("M3.5 8.4l3 3 6-6.6");
export const Sliders = icon(
  "M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M7.5 4.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM4.5 11.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
);
export const Compare = icon("M2 3h4.5v10H2zM9.5 3H14v10H9.5z");
export const Swap = icon("M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13");
