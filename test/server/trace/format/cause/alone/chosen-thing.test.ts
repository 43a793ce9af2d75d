import { describe, expect, test } from "bun:test";
import { run, save } from "../run.ts";
import { json, operation, post, textOf, told } from "./scene.ts";

const people = json(
  "/api/people",
  [
    { id: "p1", name: "Ada Moss" },
    { id: "p2", name: "Ivo Berg" },
  ],
  { ts: 2_000 },
);

describe("a write with the id of the thing that the test looks for", () => {
  const assign = (sent: object, answer: unknown) =>
    told(
      run(
        ...people,
        save(),
        ...post("/api/tasks/assign", 200, answer, { request: { body: JSON.stringify(sent) } }),
        textOf("owner", "Ivo Berg", "Nobody"),
      ),
    ).join("\n");

  test("and nothing in the place of it in the answer was not applied", () => {
    expect(assign({ personId: "p2" }, { id: "t1", owner: null })).toStartWith(
      "answer_changed: POST /api/tasks/assign was sent with “p2” (“Ivo Berg”) for “personId” and answered with “null” for “owner”: it was not applied",
    );
    const two = [
      { id: "t1", owner: { id: "p2" } },
      { id: "t2", owner: null },
    ];
    expect(assign({ taskIds: ["t1", "t2"], personId: "p2" }, two)).toContain(
      "answered with “null” for “owner” of 1 of 2 things",
    );
  });

  test("is told of otherwise where another one was sent, or the answer has it", () => {
    for (const [sent, answer] of [
      [{ personId: "p1" }, { id: "t1", owner: null }],
      [{ personId: "p2" }, { id: "t1", owner: { id: "p2" }, dueOn: null }],
      [{ personId: "p2" }, { id: "t1", owner: null, dueOn: null }],
    ] as [object, object][])
      expect(assign(sent, answer), JSON.stringify(answer)).not.toContain("not applied");
  });
});

describe("a write without the id of what was uploaded for it", () => {
  const upload = post("/api/attachments", 201, { id: "f-7", name: "plan.pdf" }, { ts: 2_500 });
  const send = (ids: string[], before = upload) =>
    told(
      run(
        ...before,
        save(),
        ...operation(
          "mutation AddNote($input: Note!) { addNote { id } }",
          { input: { text: "See the plan", attachmentIds: ids } },
          { addNote: { id: "n1" } },
          { ts: 4_100 },
        ),
        textOf("note", "plan.pdf", "See the plan"),
      ),
    ).join("\n");

  test("was sent without it", () => {
    expect(send([])).toStartWith(
      "answer_changed: POST /graphql (AddNote) was sent with an empty list for “attachmentIds”, though POST /api/attachments had answered “f-7” for “plan.pdf”: its id was not sent",
    );
  });

  test("is not where it has the id, or nothing was uploaded", () => {
    expect(send(["f-7"])).not.toContain("not sent");
    expect(send([], people)).not.toContain("not sent");
  });
});
