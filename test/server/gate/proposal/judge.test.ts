import { describe, expect, test } from "bun:test";
import { judgeScenario } from "../../../../server/gate/guardrails/scenario.ts";
import { whyNotMeant } from "../../../../server/gate/proposal/judge.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { type Case, failureOf } from "../diagnosis/failures.ts";

const main = (inner: string) => `<main><h1>Desk</h1>${inner}</main>`;
const row = (guest: string, label = "Check in") =>
  `<tr><td>${guest}</td><td>Double room</td><td><button>${label}</button></td></tr>`;
const rows = (...all: string[]) => main(`<table><tbody>${all.join("")}</tbody></table>`);
const card = (name: string, inner: string) => `<section><h2>${name}</h2>${inner}</section>`;

const GRACE = 'click button "Check in" in row "Grace Hopper"';
const GUESTS = rows(row("Grace Hopper"), row("Alan Turing"));

/** Why a model's last step is not what the product meant; null when the recorded pages bear it out. */
function whyNot({ steps, before, after }: Case, proposed: string): string | null {
  const write = (last: string) =>
    `---\nslug: case\ntitle: Case\n---\n${[...steps.slice(0, -1), last].map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`;
  const texts = { before: write(steps.at(-1)!), after: write(proposed) };
  const compile = (text: string) => compileScenario({ name: "case.scenario.md", text }, () => null).scenario!;
  const { changes } = judgeScenario(compile(texts.before), compile(texts.after), texts, { isBorneOut: true });
  expect(changes.replaced).toHaveLength(1);
  return whyNotMeant(failureOf({ steps, before, after }), changes);
}

describe("what a model proposes for a step", () => {
  test("is let through where the pages bear it out: the same row, whose button has another name", () => {
    const after = rows(row("Grace Hopper", "Welcome"), row("Alan Turing", "Welcome"));
    const given = { steps: [GRACE], before: GUESTS, after };
    expect(whyNot(given, 'click button "Welcome" in row "Grace Hopper"')).toBeNull();
  });

  test.each<[string, Case, string, string]>([
    [
      "moves it to another row",
      { steps: [GRACE], before: GUESTS, after: rows(row("Alan Turing")) },
      'click button "Check in" in row "Alan Turing"',
      'stands in the row "Alan Turing Double room Check in" instead of the row "Grace Hopper Double room Check in"',
    ],
    [
      "moves it to another card",
      {
        steps: ['click button "Pay" near heading "House beans"'],
        before: main(card("House beans", "<button>Pay</button>") + card("Filter", "<button>Pay</button>")),
        after: main(card("House beans", "") + card("Filter", "<button>Pay</button>")),
      },
      'click button "Pay" near heading "Filter"',
      'stands in the heading "Filter" instead of the heading "House beans"',
    ],
    [
      "drops the row that it stands in",
      { steps: [GRACE], before: GUESTS, after: rows(row("Alan Turing")) },
      'click button "Check in"',
      "no longer says what its element stands in",
    ],
    [
      "takes another one of several",
      {
        steps: ['click button "Check in" nth 2'],
        before: GUESTS,
        after: rows(row("Grace Hopper")),
      },
      'click button "Check in" nth 1',
      "counts its elements in another way",
    ],
    [
      "has it wait for another request",
      {
        steps: ['wait for request POST "/api/arrivals"'],
        before: { html: GUESTS, answers: { "/api/arrivals": {} } },
        after: { html: GUESTS, answers: { "/api/departures": {} } },
      },
      'wait for request POST "/api/departures"',
      "Which request step 1 waits for",
    ],
  ])("is refused when it %s", (_, given, proposed, why) => {
    expect(whyNot(given, proposed)).toContain(why);
  });
});
