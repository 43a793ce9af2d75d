import { describe, expect, test } from "bun:test";
import { click, page, passing, run, save, savedInVain, told } from "../../run.ts";

const target = "getByRole('button', { name: 'Enrol now' })";
const enrol = { title: `Click ${target}`, params: {}, log: [`waiting for ${target}`] };
const at = (course: string, more: string, shot: object) =>
  page(`<h1>Baking</h1><section aria-label="Enrolment">${course}</section>${more}`, {
    step_id: "save",
    ...shot,
  });
const comments = "<section aria-label='Comments'><button>Post comment</button></section>";
const wanted = "<button>Enrol now</button><button>Keep</button>";
const enrolled = "<p>You are enrolled. <a href='/learn'>Start</a></p><button>Keep</button>";
const against = (now: string, more: string, before = wanted) =>
  told(
    run(savedInVain(enrol), at(now, more, { ts: 7_000 })),
    run(save({ ...enrol, ts: 3_010 }), at(before, "", { ts: 3_005 }), passing()),
  );

describe("where a pass has the wanted element in a part of the page that has a name", () => {
  test("it is told what stands there, and what came in another part is not in its place", () => {
    expect(against(enrolled, comments)[0]).toBe(
      `element_missing: ${target} was nowhere on the page; in the region “Enrolment”, where the last pass has it, the page says “You are enrolled. Start”`,
    );
  });

  test("what came there of its kind is in its place", () => {
    expect(against("<button>Join the course</button><button>Keep</button>", comments)[0]).toContain(
      "“Join the course”",
    );
  });

  test("what stood there before the last action has not come in its place", () => {
    const open = click("Click getByRole('tab', { name: 'Plan' })", { ts: 2_000, step_id: "open" });
    const before = at(enrolled, comments, { ts: 2_000, step_id: "open", phase: "action" });
    const failed = run(before, open, savedInVain(enrol), at(enrolled, comments, { ts: 7_000 }));
    const pass = run(before, open, save({ ...enrol, ts: 3_010 }), at(wanted, "", { ts: 3_005 }), passing());
    expect(told(failed, pass).join()).not.toContain("where the last pass has it");
  });

  test("nothing is told of it where it says nothing else, or is not there", () => {
    const without = "<button>Keep</button>";
    expect(against(without, comments).join()).not.toContain("where the last pass has it");
    expect(against(enrolled, comments, without).join()).not.toContain("where the last pass has it");
  });
});
