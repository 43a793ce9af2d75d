/** The two parts of a scenario file, with where they stand in it. */
export interface ScenarioDocument {
  /** The YAML between the `---` lines; null when there is none. Its first line is line 2 of the file. */
  frontmatter: string | null;
  /** Whether the frontmatter's closing `---` is missing. */
  isOpen: boolean;
  steps: StepLine[];
  /** A code block or comment that is never closed, so that all below it would be prose; `line` is 1-based. */
  unclosed: { line: number; what: "code block" | "comment" } | null;
}

export interface StepLine {
  /** 1-based, in the file. */
  line: number;
  /** The whole line. */
  text: string;
  /** Where the step begins in it, after its number (UTF-16 offset). */
  offset: number;
}

const STEP = /^ {0,3}\d{1,9}[.)](?:[ \t]+|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Takes a scenario file apart. Numbered lines are steps, but not within code blocks and comments. */
export function readDocument(file: string): ScenarioDocument {
  const lines = file.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const end =
    lines[0]?.trimEnd() === "---" ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---") : -1;
  const isOpen = lines[0]?.trimEnd() === "---" && end === -1;
  return {
    frontmatter: end === -1 ? null : lines.slice(1, end).join("\n"),
    isOpen,
    ...(isOpen ? { steps: [], unclosed: null } : stepLines(lines, end + 1)),
  };
}

function stepLines(lines: readonly string[], from: number): Pick<ScenarioDocument, "steps" | "unclosed"> {
  const steps: StepLine[] = [];
  let fence: string | null = null;
  let isComment = false;
  let opened = 0;
  for (let at = from; at < lines.length; at++) {
    const text = lines[at] ?? "";
    if (isComment) {
      isComment = !text.includes("-->");
      continue;
    }
    const mark = FENCE.exec(text)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && text.trim() === mark) fence = null;
    } else if (mark) {
      fence = mark;
      opened = at + 1;
    } else if (/^ {0,3}<!--/.test(text)) {
      isComment = !text.includes("-->");
      opened = at + 1;
    } else {
      const found = STEP.exec(text);
      if (found) steps.push({ line: at + 1, text, offset: found[0].length });
    }
  }
  const what = isComment ? "comment" : fence !== null ? "code block" : null;
  return { steps, unclosed: what && { line: opened, what } };
}
