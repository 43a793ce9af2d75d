import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";
import { message, socket } from "../../socket.ts";

const thread = (ts: number) => exchange("/api/thread", { ts, body: '{"messages":1}' });
const came = (ts: number, type = "message.added") => message("received", { type, thread: 7 }, ts);
const look = { expected: '"Any news?"', received: '"Hello"' };
const usual = (...events: Parameters<typeof run>) => {
  const pass = run(...socket, ...thread(1_500), ...events, passing({ ...look, duration_ms: 3_000 }));
  return [pass, pass];
};
const asking = () => usual(came(5_200), ...thread(5_240));

test("a question that passes ask again when a message comes, and this run did not, is told with the message", () => {
  const mine = run(...socket, ...thread(1_500), came(5_200), failing(look));
  expect(first(mine, ...asking())).toBe(
    'request_unsent: GET /api/thread was never sent again after the WebSocket /live brought “{"type":"message.added","thread":7}”, as in the last pass: there it went out 40 ms later',
  );
});

test("it is not told where it was asked, where another message came or it came too late, or where passes ask for an action's sake", () => {
  const causes = (events: Parameters<typeof run>, passes = asking()) =>
    told(run(...socket, ...thread(1_500), ...events, failing(look)), ...passes).join("\n");
  expect(causes([came(5_200), ...thread(5_900)])).not.toContain("never sent again after");
  expect(causes([came(5_200, "message.read")])).not.toContain("never sent again after");
  expect(causes([came(6_900)])).not.toContain("never sent again after");
  const act = click("Click Refresh", { ts: 4_900, name: "page.click" });
  expect(causes([act, came(5_200)], usual(act, came(5_200), ...thread(5_240)))).not.toContain(
    "never sent again after",
  );
});
