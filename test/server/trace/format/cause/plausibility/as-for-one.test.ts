import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const booked = (line: string, end: typeof passing, body = "seats=2&note=mat&courseId=5", no = "7") =>
  run(
    ...exchange("/book", {
      ts: 4_000,
      method: "POST",
      media_type: "text/html",
      request: { headers: FORM, body },
      body: `<p>${line}</p><p>Booking number ${no}</p>`,
    }),
    end({ expected: '"Yoga: €77.60"', received: `"${line}"` }),
  );
const usual = booked("Yoga: €77.60", passing, undefined, "81");
const older = booked("Yoga: €77.60", passing, undefined, "93");
const BEFORE = "where the last pass had “Yoga: €77.60”";

test("an amount that is the usual one divided by a number that was sent is told as that for one", () => {
  expect(first(booked("Yoga: €38.80", failing), usual, older)).toBe(
    `answer_changed: POST /book came with “Yoga: €38.80”, ${BEFORE}; that is half of it, as for one, though it was sent with “2” for “seats”`,
  );
});

test("an amount that is the usual one times a number that was sent is told as counted in once more", () => {
  expect(first(booked("Yoga: €155.20", failing), usual, older)).toEndWith(
    "; that is 2 times it: it was sent with “2” for “seats”, which was counted in once more",
  );
});

test("amounts of data are told as those of pages", () => {
  const quote = (total: string, end: typeof passing) =>
    run(
      ...exchange("/api/quote?nights=3", { ts: 4_000, body: JSON.stringify({ total }) }),
      end({ expected: '"€90.00"', received: `"${total}"` }),
    );
  const pass = quote("€90.00", passing);
  expect(first(quote("€30.00", failing), pass, pass)).toContain(
    "; that is a third of it, as for one, though it was sent with “3” for “nights”",
  );
});

test("no number is told that has nothing to do with it, that two fields have, or where the figures are no amounts", () => {
  const isTold = (line: string, body?: string, pass = usual) =>
    / times it: |as for one/.test(first(booked(line, failing, body), pass, older) ?? "");
  expect(isTold("Yoga: €38.80")).toBeTrue();
  expect(isTold("Yoga: €38.90")).toBeFalse();
  expect(isTold("Yoga: €38.80", "seats=3")).toBeFalse();
  expect(isTold("Yoga: €38.80", "courseId=2")).toBeFalse();
  expect(isTold("Yoga: €38.80", "seats=2&children=2")).toBeFalse();
  const six = booked("6 of them booked", passing);
  expect(first(booked("3 of them booked", failing), six, six)).not.toContain("as for one");
});
