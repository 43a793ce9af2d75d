import type { CauseKind, Finding } from "../types.ts";

/** What a style sheet can do to an element, by the properties that do it. */
const STYLED: Partial<Record<CauseKind, RegExp>> = {
  element_covered: /(?:pointer-events|z-index|position|inset)\s*:/,
  element_hidden:
    /(?:display|visibility|opacity|content-visibility|clip(?:-path)?|(?:max-)?(?:height|width))\s*:/,
  element_outside: /(?:position|transform|translate|left|top|right|bottom|inset|margin[\w-]*)\s*:/,
  element_unstable: /(?:animation|transition|transform)[\w-]*\s*:/,
};

/** A style sheet of which few rules changed. */
export const isStyleSheet = ({ kind, file }: Finding): boolean =>
  kind === "answer_changed" && file === "style sheet";

/** Whether one of its changed rules has a property that explains what befell an element so. */
export const explainsBy = ({ title, detail }: Finding, kind: CauseKind): boolean =>
  STYLED[kind]?.test(`${title} ${detail ?? ""}`) === true;
