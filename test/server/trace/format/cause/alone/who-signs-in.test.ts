import { describe, expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { fill, first, header, post, told } from "./scene.ts";

const all = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");
const save = click("Click Save", { ts: 4_000, name: "page.click" });

describe("who signs in", () => {
  test("is told with what they may not do", () => {
    const cause = (status: number) =>
      all(
        fill("Email", "vera@site.test", 1_000),
        fill("Password", "secret-1", 1_100),
        fill("Search", "reset password", 2_000),
        save,
        ...post("/api/replies", status, { message: "Your role may not do this" }),
        failing(),
      );
    expect(cause(403)).toContain("Your role may not do this; the test had signed in as “vera@site.test”");
    expect(cause(500)).not.toContain("had signed in as");
  });

  test("is told with the password that the test had none of, and not with a field that it emptied", () => {
    const cause = (status: number, ...fills: ReturnType<typeof fill>[]) =>
      all(
        fill("Email", "vera@site.test", 1_000),
        ...fills,
        click("Click Sign in", { ts: 4_000, name: "page.click" }),
        ...post("/api/login", status, { message: "Wrong" }),
        failing(),
      );
    expect(cause(401, fill("Password", "", 1_100))).toContain(
      "The test filled an empty text into “getByLabel('Password')”: the password or secret that it was to give is not set or empty",
    );
    for (const silent of [
      cause(401, fill("Password", "wrong", 1_100)),
      cause(200, fill("Password", "", 1_100)),
      cause(401, fill("Password", "a", 1_100), fill("Password", "", 1_200)),
    ])
      expect(silent).not.toContain("filled an empty text");
  });

  test("is no matter of a renewal that was refused before it, nor of the cookie of renewals", () => {
    const token = {
      request: { headers: [...header("authorization", "Bearer a1"), ...header("host", "shop.example")] },
    };
    const cause = (request: object, status = 403) =>
      run(
        ...exchange("/api/auth/refresh", { method: "POST", status: 401, ts: 1_000 }),
        ...exchange("/api/auth/login", {
          method: "POST",
          ts: 2_000,
          headers: header("set-cookie", "refresh=r1; Path=/api/auth"),
        }),
        save,
        ...exchange("/api/settings", { method: "PUT", status, ts: 4_100, ...request }),
        failing(),
      );
    expect(first(cause(token))).toStartWith("request_failed: PUT /api/settings was answered with 403");
    expect(first(cause(token, 200))).toStartWith("assertion:");
    expect(first(cause({ request: { headers: header("host", "shop.example") } }))).toStartWith("storage:");
  });

  test("is told where the renewed token was not used, and not where it was", () => {
    const asked = (token: string, ts: number, status: number) =>
      exchange("/api/jobs", { ts, status, request: { headers: header("authorization", `Bearer ${token}`) } });
    const cause = (token: string, renewed: number) =>
      all(
        click("Click Jobs", { ts: 4_000 }),
        ...asked("old1", 4_010, 401),
        ...post("/api/auth/refresh", renewed, { accessToken: "new1" }, { ts: 4_100 }),
        ...asked(token, 4_200, 401),
        failing(),
      );
    expect(cause("old1", 200)).toContain(
      "GET /api/jobs was sent again with the old token that had been refused already, though POST /api/auth/refresh had given a new one",
    );
    for (const silent of [cause("new1", 200), cause("old1", 401)]) expect(silent).not.toContain("old token");
  });
});
