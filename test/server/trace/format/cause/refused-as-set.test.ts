import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "./run.ts";

const renewal = (ts: number, { status = 200, sends = "", sets = "" }) =>
  exchange("/api/renew", {
    ts,
    method: "POST",
    status,
    headers: sets === "" ? [] : [{ name: "set-cookie", value: `desk=${sets}; HttpOnly; Path=/api` }],
    request: {
      headers: [
        { name: "host", value: "shop.example" },
        ...(sends === "" ? [] : [{ name: "cookie", value: `theme=dark; desk=${sends}` }]),
      ],
    },
  });
const renewed = [...renewal(2_000, { sends: "r1", sets: "r2" })];
const signedOut = renewal(4_000, { status: 401 });
const pass = run(...renewed, ...signedOut, passing());
const toldOf = (...events: Parameters<typeof run>) =>
  told(run(...renewed, ...events, failing()), pass).join();

describe("a refusal of what had been answered before", () => {
  test("is news where it carried what passes that are refused have not, and is told with the cookie that was set for it", () => {
    const refused = run(...renewed, ...renewal(4_000, { status: 401, sends: "r2" }), failing());
    expect(first(refused, pass)).toBe(
      "request_failed: POST /api/renew was answered with 401, though it carried the cookie “desk” as its own answer before had set it",
    );
  });

  test("is as in the passes where it carried no more than theirs", () => {
    expect(toldOf(...signedOut)).not.toContain("POST /api/renew was answered with 401");
    const carrying = run(...renewed, ...renewal(4_000, { status: 401, sends: "r2" }), passing());
    const refused = run(...renewed, ...renewal(4_000, { status: 401, sends: "r2" }), failing());
    expect(told(refused, carrying).join()).not.toContain("POST /api/renew was answered with 401");
  });

  test("is told without the cookie where that is another one than was set", () => {
    expect(toldOf(...renewal(4_000, { status: 401, sends: "r1" }))).toContain(
      "POST /api/renew was answered with 401, though it had been answered before",
    );
  });
});
