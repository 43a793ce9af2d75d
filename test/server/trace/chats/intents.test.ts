import { describe, expect, test } from "bun:test";
import { readQuestion } from "../../../../server/trace/chats/analyst/intents.ts";
import { readQuestions } from "../../../../server/trace/chats/analyst/questions.ts";
import { GERMAN, isBlind, LATER, MISSPELT, MORE, OFF_TOPIC, PHRASINGS, STRANGERS } from "./phrasings.ts";

const OPEN = PHRASINGS.filter((_, at) => !isBlind(at));
const BLIND = PHRASINGS.filter((_, at) => isBlind(at));
const shareRight = (rows: typeof PHRASINGS): number =>
  rows.filter(([question, intent]) => readQuestion(question).intent === intent).length / rows.length;

describe("what a question wants to know", () => {
  test("is asked in at least 120 ways here, a third of them blind", () => {
    expect(PHRASINGS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(PHRASINGS.map(([question]) => question)).size).toBe(PHRASINGS.length);
    expect(BLIND.length).toBeGreaterThanOrEqual(40);
  });

  test.each([...OPEN, ...MORE, ...LATER, ...MISSPELT, ...GERMAN])("%s", (question, intent) => {
    expect(readQuestion(question).intent).toBe(intent);
  });

  test("is understood in wordings that nobody looked at", () => {
    expect(shareRight(BLIND)).toBeGreaterThanOrEqual(0.85);
    // Of strangers' it knew 26 of 42 when they were first asked; of the others half were owned up to.
    expect(shareRight(STRANGERS)).toBeGreaterThanOrEqual(0.55);
  });

  test.each<[string, Partial<ReturnType<typeof readQuestion>>]>([
    ["why did step 7 fail", { intent: "step", step: 7 }],
    ["what did the page show at step 4", { intent: "page", step: 4 }],
    ["look at the 3rd step", { intent: "step", step: 3 }],
    ["what did POST /api/checkout?x=1 answer", { intent: "request", path: "/api/checkout" }],
    ['Where does "out of stock" appear?', { intent: "search", text: "out of stock" }],
    ["search for card_declined", { intent: "search", text: "card_declined" }],
  ])("names a step, a request or a text: %s", (question, meant) => {
    expect(readQuestion(question)).toMatchObject(meant);
  });

  test("goes on with the question before it", () => {
    const before = readQuestion("What did the page show at step 4?");
    expect(readQuestion("and at step 6?", before)).toMatchObject({ intent: "step", step: 6 });
    expect(readQuestion("more", before)).toMatchObject({ intent: "page", step: 4 });
    expect(readQuestion("more").intent).toBe("unknown");
  });

  test.each(OFF_TOPIC)("is not guessed at: %s", (question) => {
    expect(readQuestion(question).intent).toBe("unknown");
  });

  test.each([
    ["was the charge made", "unknown"],
    ["who filed this", "unknown"],
    ["what did the shop answer to the order", "unknown"],
  ])("keeps words that only look like slips of others: %s", (question, intent) => {
    expect(readQuestion(question).intent).toBe(intent as never);
  });
});

describe("a message", () => {
  const read = (message: string) => {
    const { questions, left } = readQuestions(message, null);
    return [questions.map(({ meant }) => `${meant.intent}${meant.step ?? ""}${meant.path ?? ""}`), left];
  };
  test.each<[string, string[], string[]]>([
    ["Why did it fail? Since when, and what should I change?", ["why", "since", "fix"], []],
    ["why did it fail and since when and is it flaky", ["why", "since", "flaky"], []],
    ["Why did it fail? Why?", ["why"], []],
    ["Hi! Which requests failed?", ["requests"], []],
    ["In one sentence, please: what is broken?", ["why"], []],
    ["what did POST /api/pay answer, and what did the page show?", ["request/api/pay", "page"], []],
    ["tell me about step 2 and step 3", ["step2", "step3"], []],
    ["Warum schlägt es fehl und seit wann?", ["why", "since"], []],
    ["why? what's the weather?", ["why"], ["what's the weather?"]],
    ["qwertz? asdf?", ["unknown"], []],
    [
      "I get this:\n\nError: toHaveText failed\n  at shop.spec.ts:31\nCall log:\n  - waiting for locator\n\nwhat should I do?",
      ["fix"],
      [],
    ],
    [
      "why? since when? is it flaky? which requests failed? what is in the console?",
      ["why", "since", "flaky", "requests"],
      ["what is in the console?"],
    ],
  ])("may ask several things: %s", (message, intents, left) => {
    expect(read(message)).toEqual([intents, left]);
  });
});
