/** What keeps a text from being the path of a file within a folder, wherever that lies: the end of a sentence; null for nothing. */
export function pathProblem(path: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path)) return "holds control characters";
  if (path.includes("\\")) return "holds a backslash; folders are separated by /";
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "is not relative to the folder";
  if (path.split("/").some((part) => part === ".." || part === "." || part === ""))
    return 'has "..", "." or nothing as a part of it';
  return null;
}
