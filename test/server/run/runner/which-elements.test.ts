import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

const open = (html: string): string => `go to ${JSON.stringify(`data:text/html,${html}`)}`;

/** What a run of steps on a page comes to: "passed", or the failed step's number and message. */
async function on(html: string, ...steps: string[]): Promise<string> {
  const { status, error } = await lab.run([open(html), ...steps]);
  return status === "passed" ? status : `${status}: ${error?.message}`;
}

const SHOP = `<section><h2>Beans</h2><button onclick='document.title=1'>Remove</button><button>Keep</button></section>
  <section><h2>Tea</h2><button onclick='document.title=2'>Remove</button><p>sold out</p></section>`;
const NONE = 'heading "None"';
const MISSING = 'failed: There is no heading "None" on the page.';

describe("near", () => {
  test("counts in every expectation and wait, and within what in means", async () => {
    const steps = [
      'click button "Remove" in css "section" near heading "Tea"',
      'expect title "2"',
      'expect visible button "Remove" near heading "Tea"',
      'expect text "sold out" in css "section" near heading "Tea"',
      'expect not text "sold out" in css "section" near heading "Beans"',
      'expect count 2 of button near heading "Beans"',
      'expect count 1 of button near heading "Tea"',
      'expect count 1 of button in css "section" near heading "Tea"',
      'wait for button "Remove" near heading "Beans"',
      'wait for button "Add" near heading "Beans" hidden',
    ];
    expect(await on(SHOP, ...steps)).toBe("passed");
  });

  for (const step of [
    `expect visible button "Remove" near ${NONE}`,
    `expect not visible button "Remove" near ${NONE}`,
    `expect hidden button "Add" near ${NONE}`,
    `expect count 0 of button "Add" near ${NONE}`,
    `expect not text "Bread" in css "section" near ${NONE}`,
  ])
    test(`fails where what it names is not there: ${step}`, async () => {
      expect(await on(SHOP, `${step} within 200ms`)).toBe(MISSING);
    });

  test("that names nothing ends a wait with the reason", async () => {
    const end = (step: string) => on(SHOP, `${step} within 200ms`);
    expect(await end(`wait for button "Remove" near ${NONE}`)).toEndWith(
      'did not become visible in time: There is no heading "None" on the page.',
    );
    expect(await end(`wait for button "Add" near ${NONE} hidden`)).toEndWith(
      'did not become hidden in time: There is no heading "None" on the page.',
    );
  });
});

const FRAME = "<iframe srcdoc='<button>Pay now</button><p>Card declined</p>'></iframe>";

describe("frames", () => {
  test("are looked into by expectations and waits as by acts", async () => {
    const steps = [
      'hover button "Pay now"',
      'expect visible button "Pay now"',
      'wait for button "Pay now"',
      'expect text "Card declined"',
      'expect text "declined" in css "p"',
      "expect count 2 of button",
      'expect not hidden button "Pay now"',
    ];
    expect(await on(`<p hidden>Top</p><button>Back</button>${FRAME}`, ...steps)).toBe("passed");
  });

  test("that nobody sees hold nothing", async () => {
    const unseen = FRAME.replace("<iframe", "<iframe style='display:none'");
    const steps = [
      'expect hidden button "Pay now"',
      'expect not text "Card declined"',
      "expect count 0 of button",
    ];
    expect(await on(`<p>Top</p>${unseen}`, ...steps)).toBe("passed");
  });

  for (const step of [
    'expect hidden button "Pay now"',
    'expect not text "Card declined"',
    'expect count 0 of button "Pay now"',
    'wait for button "Pay now" hidden',
  ])
    test(`keep this from holding: ${step}`, async () => {
      expect(await on(`<p>Top</p>${FRAME}`, `${step} within 300ms`)).toStartWith("failed: ");
    });
});

const LISTS = `<ul hidden aria-label='Cart'><li>old</li></ul><ul aria-label='Cart'><li>a</li></ul>
  <ul aria-label='Cart archive'><li>b</li><li>c</li></ul>`;

describe("what in means", () => {
  test("is the visible one that is called exactly that, and of those in one another the outermost", async () => {
    const steps = [
      'expect count 1 of listitem in list "Cart"',
      'expect count 2 of listitem in list "Cart archive"',
      'expect text "a" in list "Cart"',
      'expect not text "c" in list "Cart"',
      'expect count 0 of listitem in list "Wishes"',
      'expect hidden listitem in list "Wishes"',
      'expect text "outer" in css "div"',
    ];
    expect(await on(`${LISTS}<div>outer <div>inner</div></div>`, ...steps)).toBe("passed");
  });

  for (const step of [
    "expect count 3 of listitem in list",
    'expect not text "z" in list',
    "hover listitem in list",
  ])
    test(`is an error where it means several: ${step}`, async () => {
      expect(await on(LISTS, `${step} within 200ms`)).toStartWith("failed: list fits 2 elements: ul “Cart”");
    });
});

describe("nth", () => {
  const HIDDEN = "<button style='display:none' data-testid='b'>Go on</button>";
  const button = (n: number) => `<button data-testid='b' onclick='document.title=${n}'>Go on</button>`;
  const PAGE = `${HIDDEN}${button(1)}<p style='visibility:hidden' data-testid='b'>Go on</p>${button(2)}`;

  test("counts what a person sees", async () => {
    for (const by of ['testid "b"', 'text "Go on"', 'css "[data-testid]"', 'button "Go on"']) {
      const steps = [
        `click ${by} nth 2`,
        'expect title "2"',
        `click ${by} nth 1`,
        'expect title "1"',
        `expect visible ${by} nth 2`,
        `expect hidden ${by} nth 3`,
        `expect count 1 of ${by} nth 2`,
        `expect count 0 of ${by} nth 3`,
      ];
      expect([by, await on(PAGE, ...steps)]).toEqual([by, "passed"]);
    }
  });

  test("of more than are seen says that there is none to see", async () => {
    expect(await on(PAGE, 'click testid "b" nth 3 within 300ms')).toMatch(/^failed: .*testid "b" nth 3/);
  });
});
