/** What the executable carries of others: who made it, and under which terms it is passed on. */
export interface Notice {
  name: string;
  version: string;
  /** SPDX expression (SPDX 2.3, annex D), as its maker says it. */
  license: string;
  /** Where it comes from; null when its maker does not say. */
  url: string | null;
  /** The terms in full, with the notices that must go with them. */
  text: string;
}

const PERMISSIVE = new Set(
  "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC-BY-4.0 CC0-1.0 ISC MIT MIT-0 Python-2.0 Unlicense Zlib".split(
    " ",
  ),
);
const COPYLEFT = /GNU (?:LESSER |LIBRARY |AFFERO )?GENERAL PUBLIC LICENSE|Server Side Public License/i;
/** Says for itself which of the libraries in it are not permissive, and how to link them anew. */
const RUNTIME = "bun";

/** What keeps a notice from being passed on with an Apache-2.0 program, as sentences; none when nothing does. */
export function problemsOf({ name, license, text }: Notice): string[] {
  const problems: string[] = [];
  if (text.trim() === "") problems.push(`${name} has no licence text.`);
  if (!isPermissive(license)) problems.push(`${name} is under "${license}", which is not permissive.`);
  if (name !== RUNTIME && COPYLEFT.test(text))
    problems.push(`The text of ${name} names a licence that is not permissive.`);
  return problems;
}

/** Whether an expression of licences joined by AND and OR leaves a choice of permissive ones alone. */
export function isPermissive(expression: string): boolean {
  const alone = expression.trim().replace(/^\(([^()]*)\)$/, "$1");
  return alone
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((id) => PERMISSIVE.has(id.replace(/[()]/g, ""))));
}
