import { expect, test } from "bun:test";
import { saidIn } from "../../../../../../server/trace/format/cause/exchanges/said-in.ts";

const said = (body: unknown) => saidIn(JSON.stringify(body));

test("a refusal is told with the field that it names, whatever form the server has for it", () => {
  const message = "Validation failed";
  const REQUIRED = "Validation failed: email is required";
  for (const body of [
    { message, errors: { email: "is required" } },
    { message, errors: { email: ["is required", "is too short"] } },
    { message, errors: { email: { message: "is required" } } },
    { message, fields: { email: "is required" } },
    { error: { status: 422, message, fields: { email: "is required" } } },
    { error: { message, details: [{ field: "email", issue: "is required" }] } },
    { message, errors: [{ field: "email", defaultMessage: "is required", rejectedValue: null }] },
    { message, errors: [{ path: "email", msg: "is required" }] },
    { title: message, violations: [{ propertyPath: "email", message: "is required" }] },
    { title: message, "invalid-params": [{ name: "email", reason: "is required" }] },
    { title: message, errors: [{ pointer: "#/email", detail: "is required" }] },
    { message, issues: [{ path: ["email"], message: "is required" }] },
    { error: { message, fieldErrors: { email: ["is required"] } } },
    { message, errors: [{ property: "email", constraints: { isNotEmpty: "email is required" } }] },
    {
      errors: [
        {
          message,
          locations: [],
          path: ["createUser"],
          extensions: { validation: { email: ["is required"] } },
        },
      ],
    },
  ])
    expect(said(body)).toBe(REQUIRED);
});

test("a field is told alone where the answer says nothing besides", () => {
  expect(said({ detail: [{ loc: ["body", "user", "email"], msg: "Field required" }] })).toBe(
    "user.email: Field required",
  );
  expect(said({ email: ["This field is required."] })).toBe("email: This field is required.");
  expect(said([{ path: ["email"], message: "Required" }])).toBe("email: Required");
  expect(
    said({
      errors: [{ source: { pointer: "/data/attributes/email" }, title: "Invalid", detail: "is taken" }],
    }),
  ).toBe("email is taken");
  expect(said({ non_field_errors: ["Passwords differ."] })).toBe("Passwords differ.");
});

test("three fields are told, none twice, and none where the message names it", () => {
  const errors = { a1: "no", name: "is short", size: "is odd", day: "is past", zone: "is unknown" };
  expect(said({ message: "Invalid", errors })).toBe("Invalid: name is short, size is odd, day is past");
  expect(said({ message: "name is short", errors: { name: "name is short" } })).toBe("name is short");
  expect(said({ message: ["name must be long", "size must be even"], error: "Bad Request" })).toBe(
    "name must be long: size must be even",
  );
});

test("what names no field is told as it is", () => {
  expect(said({ errors: [{ message: "Boom", path: ["createUser"], locations: [{ line: 1 }] }] })).toBe(
    "Boom",
  );
  expect(said({ error: "invalid_grant" })).toBe("invalid_grant");
  expect(said({ message: "No", details: { trace: "at main" } })).toBe("No");
  expect(said({ message: "No", items: [{ name: "Anna", title: "Dr" }] })).toBe("No");
});
