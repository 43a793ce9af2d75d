import type { Locator } from "playwright-core";
import { ask } from "./ask.ts";

const MOST_SHOWN = 5;

/** The elements that a locator fits, in few words. */
export async function describeElements(all: Locator, count: number): Promise<string> {
  const shown = (await ask<string[]>(all, `(elements) => (${describe})(elements, ${MOST_SHOWN})`)) ?? [];
  return `${shown.join(", ")}${count > MOST_SHOWN ? " and others" : ""}`;
}

/** Runs in the page, so it refers to nothing outside itself. */
function describe(elements: Element[], most: number): string[] {
  return elements.slice(0, most).map((element) => {
    const id = element.id ? `#${element.id}` : "";
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "")
      .replace(/\s+/g, " ")
      .trim();
    return `${element.tagName.toLowerCase()}${id}${text ? ` “${text.slice(0, 40)}”` : ""}`;
  });
}
