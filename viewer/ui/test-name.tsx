import type { JSX } from "preact";
import type { TestRef } from "../../server/trace/model.ts";
import type { Column } from "./columns.ts";
import { oneLine } from "./text.ts";

interface Named {
  slug: string;
  title: string;
  test?: TestRef | null | undefined;
}

const LONGEST = 300;
/** Titles of the suites and the test; of what is no test its own. */
function partsOf({ slug, title, test }: Named): string[] {
  const titles = test?.title_path.map((part) => oneLine(part, LONGEST)).filter(Boolean) ?? [];
  return titles.length > 0 ? titles : [oneLine(title || slug, LONGEST)];
}

/** What a scenario is called; of a test its titles, since its project has a place of its own. */
export const nameOf = (named: Named): string => partsOf(named).join(" › ");

/** How many lines `LongName` takes where a line has room for so many letters. */
export function linesOfName(named: Named, letters: number): number {
  const parts = partsOf(named);
  const { length } = parts.join(" › ");
  if (length <= letters) return 1;
  return length > 2 * letters && parts.length > 1 && parts.at(-1)!.length > letters ? 3 : 2;
}

/** The name on one line; the test's own title stands out among those of its suites. */
function Name(props: Named): JSX.Element {
  const parts = partsOf(props);
  return (
    <>
      {parts.length > 1 && <span class="dim">{parts.slice(0, -1).join(" › ")} › </span>}
      {parts.at(-1)}
    </>
  );
}

/** The test's own title, for a line that has no room for its suites. */
export const ownName = (named: Named): string => partsOf(named).at(-1)!;

/** The name on as many lines as it needs, at most three: of one that is longer the suites are cut, not the test. */
export function LongName({ letters, ...props }: Named & { letters: number }): JSX.Element {
  const parts = partsOf(props);
  if (linesOfName(props, letters) === 1) return <Name {...props} />;
  if (parts.length === 1 || parts.join(" › ").length <= 2 * letters)
    return (
      <span class="two-lines">
        <Name {...props} />
      </span>
    );
  return (
    <>
      <span class="name-suites dim ellipsis">{parts.slice(0, -1).join(" › ")}</span>
      <span class="two-lines">{parts.at(-1)}</span>
    </>
  );
}

export function Project({ test }: { test?: TestRef | null | undefined }): JSX.Element | null {
  return test?.project ? <span class="test-badge captured">{oneLine(test.project, 60)}</span> : null;
}

/** `shop.spec.ts:14`, without its folders, which may be long. */
export const placeOf = ({ file, line }: TestRef): string =>
  `${oneLine(file.replace(/^.*\//, ""), 80)}:${line}`;

const widest = (texts: readonly string[], perLetter: number, most: number): string =>
  `${Math.min(most, Math.ceil(Math.max(40, ...texts.map(({ length }) => length * perLetter + 14))))}px`;

/** Project and file of tests, as wide as these rows need. */
export function testColumns<Item>(
  items: readonly Item[],
  testOf: (item: Item) => TestRef | null | undefined,
): Column<Item>[] {
  const tests = items.map(testOf).filter((test) => !!test);
  return [
    {
      head: "Project",
      width: widest(
        tests.map(({ project }) => project),
        7,
        120,
      ),
      has: (item) => !!testOf(item)?.project,
      isExtra: true,
      cellClass: "ellipsis",
      title: (item) => testOf(item)?.project ?? "",
      cell: (item) => <Project test={testOf(item)} />,
    },
    {
      head: "File",
      width: widest(tests.map(placeOf), 7, 150),
      has: (item) => !!testOf(item),
      isExtra: true,
      cellClass: "mono dim ellipsis captured",
      title(item) {
        const test = testOf(item);
        return test ? `${oneLine(test.file, 300)}:${test.line}` : "";
      },
      cell(item) {
        const test = testOf(item);
        return test ? placeOf(test) : "";
      },
    },
  ];
}
