import type { ScenarioFile } from "./compile.ts";

const MOST_SLUG = 64;
const MOST_TEXT = 200;

/** A first scenario, ready to be written to a file, or what keeps it from being made. */
export type Starter = { file: ScenarioFile; problem: null } | { file: null; problem: string };

/**
 * A scenario of a single page: it is opened, and must show a text.
 * @param url address of the page, http or https
 * @param text what a visitor must see there; one line
 */
export function starterScenario(url: string, text: string): Starter {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (!address || !/^https?:$/.test(address.protocol))
    return refused("The address of a page was expected, such as https://shop.example/cart.");
  if (address.username || address.password)
    return refused("An address without a name and password was expected: a scenario is read by many.");
  const shown = inOneLine(text);
  if (shown === "")
    return refused(
      "A text that the page must show was expected, such as its heading: without one, an error page passes.",
    );
  if ([...shown].length > MOST_TEXT)
    return refused(
      `A text of at most ${MOST_TEXT} characters was expected: a part of what the page shows is enough.`,
    );
  const slug = slugOf(address);
  const lines = [
    "---",
    // What begins like `null`, `true` or a number is quoted: YAML would read it as one.
    `slug: ${/^[a-z]+-/.test(slug) ? slug : JSON.stringify(slug)}`,
    `title: ${JSON.stringify(titleOf(address))}`,
    `base_url: ${JSON.stringify(address.origin)}`,
    "---",
    "Opens the page and sees that it shows what a visitor comes for.",
    "",
    `1. go to ${quoted(address.pathname + address.search + address.hash)}`,
    `2. expect text ${quoted(shown)} within 10s`,
    "",
  ];
  return { file: { name: `${slug}.scenario.md`, text: lines.join("\n") }, problem: null };
}

/** As a page shows it: neither line breaks nor control characters are seen there. */
const inOneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim();

const refused = (problem: string): Starter => ({ file: null, problem });

/** The text as the language writes it. */
const quoted = (text: string): string => `"${text.replace(/["\\$]/g, "\\$&")}"`;

const titleOf = ({ host, pathname }: URL): string => (pathname === "/" ? host : `${host}${pathname}`);

function slugOf({ host, pathname }: URL): string {
  const words = `${host.replace(/^www\./, "")}${pathname}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, MOST_SLUG).replace(/-$/, "");
}
