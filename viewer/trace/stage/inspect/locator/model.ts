/** What a text is compared with. Plain text is compared as Playwright does: white space as one space. */
export type TextMatch =
  | { is: "text"; value: string; isExact: boolean }
  | { is: "pattern"; source: string; flags: string };

/** States that `getByRole` may ask for. */
export interface RoleStates {
  checked?: boolean;
  disabled?: boolean;
  expanded?: boolean;
  includeHidden?: boolean;
  level?: number;
  pressed?: boolean;
  selected?: boolean;
}

export const TEXT_KINDS = ["text", "label", "placeholder", "alt", "title", "testid"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** One call of a chain. */
export type Part =
  | { by: "role"; role: string; name: TextMatch | null; states: RoleStates }
  | { by: TextKind; text: TextMatch }
  | { by: "css"; css: string }
  | { by: "xpath"; xpath: string }
  /** Into the frame that was found. */
  | { by: "frame" }
  /** From the start; -1 is the last. */
  | { by: "nth"; index: number }
  | { by: "hasText" | "hasNotText"; text: TextMatch }
  | { by: "has" | "hasNot" | "and" | "or"; locator: Locator }
  | { by: "visible"; isVisible: boolean };

/** A chain of calls: each narrows or looks within what the ones before found. */
export type Locator = readonly Part[];

/** The calls by which Playwright's locators are made, by what they look at. */
export const CALLS: Record<TextKind, string> = {
  text: "getByText",
  label: "getByLabel",
  placeholder: "getByPlaceholder",
  alt: "getByAltText",
  title: "getByTitle",
  testid: "getByTestId",
};

export const plain = (value: string, isExact = false): TextMatch => ({ is: "text", value, isExact });

/** Whether something of somebody else's making would run that may take for ever: a pattern, or an XPath within an XPath. */
export function isHeavy(locator: Locator): boolean {
  return locator.some((part) => {
    if ("locator" in part) return isHeavy(part.locator);
    if ("text" in part) return part.text.is === "pattern";
    if (part.by === "xpath") return isHeavyPath(part.xpath);
    return part.by === "role" && part.name?.is === "pattern";
  });
}

/** Whether an XPath searches the page anew for each element that it looks at. */
function isHeavyPath(xpath: string): boolean {
  const bare = xpath.replace(/"[^"]*"|'[^']*'/g, "");
  let depth = 0;
  for (const [sign] of bare.matchAll(/\[|\]|\/\/|(?:preceding|following|ancestor|descendant)/g)) {
    if (sign === "[") depth += 1;
    else if (sign === "]") depth -= 1;
    else if (depth > 0 || sign !== "//") return true;
  }
  return false;
}
