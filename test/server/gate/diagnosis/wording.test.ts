import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { reworded } from "../../../../server/gate/diagnosis/reworded.ts";
import { unsaidWord } from "../../../../server/gate/diagnosis/wording.ts";
import { diagnosisOf } from "./failures.ts";

const page = (text: string, more = "") => `<main><h1>Tours</h1><p id="said">${text}</p>${more}</main>`;
/** Whether a text of a page that no script wrote is followed. */
const isFollowed = (before: string, after: string, more: [string, string] = ["", ""]): boolean =>
  diagnosisOf({
    steps: [`expect text "${before}"`],
    before: page(before, more[0]),
    after: page(after, more[1]),
  }).mendings.length > 0;

describe("a text that nothing but its page knows", () => {
  test.each([
    ["Your places are kept for you.", "We keep your places for you."],
    ["Please tell us your name.", "Please enter your name."],
    ["Your order number is known", "The number of your order is known"],
    ["Everything for the pour", "Everything for the perfect pour"],
    ["Nothing is in your cart yet", "Nothing is in your basket yet"],
    ["This email and password do not match", "That e-mail and this password do not match"],
  ])("is followed where it says the same in other words: %s → %s", (before, after) => {
    expect(isFollowed(before, after)).toBe(true);
  });

  test.each([
    ["Your places are kept for you.", "Your places are kept for nobody."],
    ["Your places are kept for today.", "Your places are kept for tomorrow."],
    ["We have reserved your places.", "We have released your places."],
    ["Your places are kept.", "Your places aren't kept."],
    ["Your places are kept.", "Your places are hardly kept."],
    ["Your places are kept for 20 minutes", "Your places are kept for 20 hours"],
    ["We sent it to you by mail", "We sent it to them by mail"],
    ["€12 per person and tour", "€12 per group and tour"],
    ["Paid in full at the desk", "Paid in part at the desk"],
    ["The tour starts before lunch", "The tour starts after lunch"],
    ["Sorted by name and ascending", "Sorted by name and descending"],
    ["All tours of the week are shown", "Some tours of the week are shown"],
    ["You may bring your dog", "You must bring your dog"],
    ["More than enough places are left", "Less than enough places are left"],
    ["Your places are booked", "Your places are on hold"],
    ["The lift is working today", "The lift is broken today"],
    ["Everybody can read it.", "Nobody can read it."],
    ["Show your ticket at the north gate", "Show your ticket at the south gate"],
    ["The train goes from Rome to Oslo", "The train goes from Oslo to Rome"],
  ])("is left where one word makes it another one: %s → %s", (before, after) => {
    expect(isFollowed(before, after)).toBe(false);
  });

  test("is left where the same data stands elsewhere, too, and followed where a button says the new word as well", () => {
    const both: [string, string] = ["Places are kept", "Places are spared"];
    expect(isFollowed(...both, ["<p id='s'>kept</p>", "<p id='s'>spared</p>"])).toBe(false);
    const button = (word: string) => `<button id="b">Show what is ${word}</button>`;
    expect(isFollowed(...both, [button("kept"), button("spared")])).toBe(true);
  });
});

test("no text says what it lost a word of that has no twin, however the others stand", () => {
  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{4,9}$/);
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 3, maxLength: 8 }), fc.nat(), word, (words, at, other) => {
      const place = at % words.length;
      fc.pre(unsaidWord(words[place]!, [...words.filter((_, i) => i !== place), other].join(" ")) !== null);
      const after = words.map((one, i) => (i === place ? other : one)).reverse();
      expect(unsaidWord(words.join(" "), after.join(" "))).toBe(words[place]!);
      expect(unsaidWord(words.join(" "), [...words, other].reverse().join(" "))).toBeNull();
    }),
  );
});

test("data at the end of a text is left out where a scenario expects the words before it", () => {
  expect(reworded("Order", "Order: 1", "Your order: 2")).toBe("Your order");
  expect(reworded("Order", "Order: 1", "Your order: none")).toBeNull();
  expect(reworded("Total due", "Total due: €12.00", "Total due: €14.00")).toBe("Total due");
  const long = `${":".repeat(2_000)}${"1".repeat(2_000)}`;
  expect(reworded("Total due", `Total due ${long} x y`, `Total due ${long} a b`)).toBeNull();
});
