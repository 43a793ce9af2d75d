import { expect, test } from "bun:test";
import { readJunit } from "../../../../../server/trace/format/reports/junit.ts";

const NOW = 1_772_366_400_000;
const read = (xml: string) => readJunit(xml, NOW).results;

const HOST = 'hostname="fv-az1425-321" timestamp="2026-03-01T12:00:00"';
const PYTEST = `<testsuites><testsuite name="pytest" tests="1" ${HOST}>
  <testcase classname="tests.test_pay" name="test_pays" time="0.01"/></testsuite></testsuites>`;
/** pytest 8 names the whole. */
const NAMED = PYTEST.replace("<testsuites>", '<testsuites name="pytest tests">');
const SUREFIRE = `<testsuite name="shop.Cart" ${HOST}><testcase name="adds" classname="shop.Cart"/></testsuite>`;
const GRADLE = `<testsuite name="shop.Cart" id="1" ${HOST}><testcase name="adds()" classname="shop.Cart"/></testsuite>`;
const VITEST = `<testsuites name="vitest tests"><testsuite name="a.test.ts" ${HOST}>
  <testcase classname="a.test.ts" name="adds"/></testsuite></testsuites>`;
const OTHER = `<testsuites id="" name=""><testsuite name="a" ${HOST}><testcase classname="a" name="b"/></testsuite>
  <testsuite name="c" ${HOST}><testcase classname="d" name="e"/></testsuite></testsuites>`;

test("the machine that ran the tests is no project of theirs", () => {
  for (const xml of [PYTEST, NAMED, SUREFIRE, GRADLE, VITEST, OTHER])
    for (const { project } of read(xml)) expect([xml, project]).toEqual([xml, ""]);
});

test("of a file that Playwright wrote the host name is the project", () => {
  const suite = (project: string) =>
    `<testsuite name="a.spec.ts" hostname="${project}"><testcase name="cart › pays" classname="a.spec.ts"/></testsuite>`;
  const all = (id: string) => `<testsuites id="${id}" name="">${suite("chromium")}${suite("")}</testsuites>`;
  for (const xml of [all(""), all("nightly")])
    expect(read(xml)).toMatchObject([
      { project: "chromium", file: "a.spec.ts", title_path: ["cart", "pays"] },
      { project: "", file: "a.spec.ts" },
    ]);
});

const one = (attributes: string, inside = "") =>
  read(`<testsuite name="s"><testcase classname="c" ${attributes}>${inside}</testcase></testsuite>`)[0]!;

test("characters that stand as numbers are read, once", () => {
  const name = (text: string) => one(`name="${text}"`).title_path.at(-1);
  expect(name("caf&#233; &#x1F600; &amp; &lt;b&gt; &quot;x&quot; &apos;")).toBe('café 😀 & <b> "x" \'');
  expect(name("&amp;#10; &#38;lt; &#38;#233;")).toBe("&#10; &lt; &#233;");
  // What is none in XML stays, and what XML cannot hold goes.
  expect(name("&unknown; &#x110000; &#; &#0;|&#1;|&#xD800;|")).toBe("&unknown; &#x110000; &#; |||");
  const message = (inside: string) => one('name="x"', inside).error?.message;
  expect(message('<failure message="one&#10;two"/>')).toBe("one\ntwo");
  expect(message("<failure>at &#x27;x&#39; <![CDATA[<b>&#65;]]> tail</failure>")).toBe(
    "at 'x' <b>&#65; tail",
  );
  expect(message(`<failure>${"&#65;&lt;".repeat(200_000)}</failure>`)).toBe("A<".repeat(200_000));
});

test("spaces around a value stay where they are part of it, and do not keep numbers from being read", () => {
  expect(one('name=" spaced " line=" 7 " time=" 1.5 "')).toMatchObject({
    ...{ title_path: [" spaced "], line: 7, duration_ms: 1500 },
  });
  const properties = `<properties>
    <property name="a">
      told within
    </property> <property name="b" value=" x "/> <property name="c"> </property>
  </properties>`;
  expect(one('name="x"', properties).annotations).toEqual([
    { type: "a", description: "told within" },
    { type: "b", description: " x " },
    { type: "c", description: null },
  ]);
});
