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
