import type { CauseKind, Finding } from "../types.ts";

/** What a style sheet can do to an element, by the properties that do it. */
const STYLED: Partial<Record<CauseKind, RegExp>> = {
  element_covered: /(?:pointer-events|z-index|position|inset)\s*:/,
  element_hidden:
    /(?:display|visibility|opacity|content-visibility|clip(?:-path)?|(?:max-)?(?:height|width))\s*:/,
  element_outside: /(?:position|transform|translate|left|top|right|bottom|inset|margin[\w-]{0,60})\s*:/,
  element_unstable: /(?:animation|transition|transform)[\w-]{0,60}\s*:/,
};

/** A style sheet of which few rules changed. */
export const isStyleSheet = ({ kind, file }: Finding): boolean =>
  kind === "answer_changed" && file === "style sheet";

/** Whether one of its changed rules has a property that explains what befell an element so. */
export const explainsBy = ({ title, detail }: Finding, kind: CauseKind): boolean =>
  STYLED[kind]?.test(`${title} ${detail ?? ""}`) === true;

/** What lies under the pointer: what takes it, what is there at all, and what lies above what. */
const UNDER_POINTER =
  /^(?:pointer-events|visibility|display|content-visibility|z-index|opacity|position|inset|top|right|bottom|left|transform)\s*:/;

/** Whether one of its rules says otherwise what lies under the pointer, by a declaration that came or went. */
export function movesPointer({ detail }: Finding): boolean {
  const lines = (detail ?? "").split("\n");
  const [gone, fresh] = ["- ", "+ "].map(
    (sign) =>
      new Set(
        lines.flatMap((line) => (line.startsWith(sign) ? declarationsOf(line.slice(sign.length)) : [])),
      ),
  ) as [Set<string>, Set<string>];
  return [...gone.symmetricDifference(fresh)].some((one) => UNDER_POINTER.test(one.split("\n")[1]!));
}

/** The declarations of a rule as a style sheet's changes tell it, each below its selector. */
function declarationsOf(rule: string): string[] {
  const at = rule.lastIndexOf("{");
  const selector = rule.slice(0, at).trim();
  return rule
    .slice(at + 1)
    .replace(/\}\s*$/, "")
    .split(";")
    .map((one) => `${selector}\n${one.trim()}`);
}
