import { describe, expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "../run.ts";

describe("an answer with the same text in another encoding", () => {
  const file = (name: string) => exchange("/api/files", { ts: 4_000, body: JSON.stringify({ name }) });
  const says = (now: string) =>
    told(run(...file(now), failing()), run(...file("brief – Köln"), passing())).join("\n");

  test("is told so", () => {
    const said = "the same text, encoded as UTF-8 and read in another encoding";
    expect(says("brief â\u0080\u0093 KÃ¶ln")).toContain(said);
    expect(says("brief â€“ KÃ¶ln")).toContain(said);
  });

  test("is not where the text is another one", () => {
    expect(says("brief - Koln")).not.toContain("encoding");
  });
});
