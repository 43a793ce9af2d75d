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

/** Whether a pattern of somebody else's making would run: such may take for ever. */
export function hasPattern(locator: Locator): boolean {
  return locator.some((part) => {
    if ("locator" in part) return hasPattern(part.locator);
    if ("text" in part) return part.text.is === "pattern";
    return part.by === "role" && part.name?.is === "pattern";
  });
}
