import type { Layout } from "../../viewer/first-screen/render.tsx";
import { escapeHtml, pagePolicy } from "./pages.ts";

/** The viewer's page in the pieces that a page with its first screen is put together from. */
export interface PageParts {
  html: string;
  /** What of the viewer's style sheet some markup uses; see `used-style.ts`. */
  usedStyle: (markup: string) => string;
  /** The script that runs within the page; see `viewer/first-screen/boot.ts`. */
  boot: string;
  /** Addresses of the scripts that show the page beside the one that starts it. */
  scripts: string[];
}

/** A first screen as HTML, and the data that it was made from. */
export interface RenderedScreen {
  layout: string;
  title: string;
  markup: string;
  opened: object;
}

const STYLE_LINK = /<link rel="stylesheet"[^>]*\shref="([^"]+)"[^>]*>/;
const SCRIPT_PRELOAD = /<link rel="modulepreload"[^>]*\shref="([^"]+)"[^>]*>/g;
const MAIN_SCRIPT = /<script type="module"[^>]*\ssrc="([^"]+)"[^>]*><\/script>/;
const APP = '<div id="app"></div>';

/**
 * The viewer's page as one file that shows its first screen by itself: nothing that a browser needs for it is asked for
 * apart. Captured text in it is inert: the renderer escapes it in the markup, `inertJson` in the data, and the policy
 * runs the one script that is ours and lets no style in that is not.
 * @throws Error when the page's template is not as expected
 */
export function firstScreenPage(
  parts: PageParts,
  screen: RenderedScreen,
  options: { mayBeFramed: boolean },
): { html: string; policy: string } {
  const main = MAIN_SCRIPT.exec(parts.html)?.[1];
  const sheet = STYLE_LINK.exec(parts.html)?.[1];
  if (!main || !sheet || !parts.html.includes(APP))
    throw new Error("The viewer's page has no place for a first screen.");
  const preloaded = [...parts.html.matchAll(SCRIPT_PRELOAD)].map(([, address = ""]) => address);
  const { markup, style } = withoutStyles(screen.markup);
  // A browser reads a sixth of the style sheet in a quarter of the time; the rest comes before the viewer does.
  const used = parts.usedStyle(markup);
  const scripts = [main, ...preloaded, ...parts.scripts].join(" ");
  const body = [
    `<div id="app" inert data-layout="${escapeHtml(screen.layout)}">${markup}</div>`,
    `<script data-scripts="${escapeHtml(scripts)}" data-style="${escapeHtml(sheet)}">${parts.boot}</script>`,
    `<script type="application/json" id="opened">${inertJson(screen.opened)}</script>`,
  ];
  const html = parts.html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(screen.title)}</title>`)
    .replace(STYLE_LINK, () => `<style>${used}</style><style>${style}</style>`)
    // Loaded when the screen is out: seventeen files are more work than the screen is.
    .replace(MAIN_SCRIPT, "")
    .replace(SCRIPT_PRELOAD, "")
    .replace(APP, () => body.join(""));
  const policy = pagePolicy({
    mayBeFramed: options.mayBeFramed,
    scripts: [parts.boot],
    styles: [used, style],
  });
  return { html, policy };
}

/** What our components put into `style`: lengths, factors and functions of these. */
const PLAIN_VALUE = /^[\w\s:;.,()%+*/-]*$/;

/**
 * Moves the `style` attributes of rendered markup, which the policy forbids, into a style sheet of its own. In text and
 * in other attributes no double quote stands unescaped, so that nothing else looks like one.
 */
function withoutStyles(rendered: string): { markup: string; style: string } {
  const names = new Map<string, number>();
  const markup = rendered.replace(/ style="([^"]*)"/g, (_whole, value: string) => {
    if (!PLAIN_VALUE.test(value)) return "";
    const name = names.get(value) ?? names.size;
    names.set(value, name);
    return ` data-s="${name}"`;
  });
  const rules = [...names].map(([value, name]) => `#app [data-s="${name}"]{${value}}`);
  return { markup, style: rules.join("") };
}

/** JSON in which nothing ends the element that it stands in, or begins another. */
function inertJson(value: object): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** As the browser said after its last page (`LAYOUT_COOKIE` of the viewer); a first visit goes by its kind. */
export function layoutOf(request: Request): Layout {
  const [, told] =
    /(?:^|;\s*)tracedeck_layout=(right|bottom|narrow)\s*(?:;|$)/.exec(request.headers.get("cookie") ?? "") ??
    [];
  if (told) return told as Layout;
  const isMobile = request.headers.get("sec-ch-ua-mobile") === "?1";
  return isMobile || /\bMobi/.test(request.headers.get("user-agent") ?? "") ? "narrow" : "right";
}

/**
 * The viewer's page with something drawn in it that asks for scripts and styles as any page does.
 * @param screen.data an element with what the viewer needs to go on from there
 * @throws Error when the page's template is not as expected
 */
export function drawnPage(html: string, screen: { title: string; markup: string; data: string }): string {
  if (!html.includes(APP)) throw new Error("The viewer's page has no place for what was drawn.");
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(screen.title)}</title>`)
    .replace(APP, () => `<div id="app">${screen.markup}</div>${screen.data}`);
}
