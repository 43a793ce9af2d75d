import { afterEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../../../server/platform/clock.ts";
import { readHar } from "../../../../server/run/clones/har.ts";
import { startClones } from "../../../../server/run/clones/set.ts";
import { bodyOf, cloneRequest, unheard } from "../../../helpers/clones.ts";

const RATES = "https://rates.test/v1/rates";
const entry = (method: string, url: string, text: string, more: object = {}, request: object = {}) => ({
  request: { method, url, ...request },
  response: {
    status: 200,
    headers: [
      { name: "X-Rate", value: "1" },
      { name: "Content-Encoding", value: "gzip" },
    ],
    content: { text, mimeType: "application/json" },
    ...more,
  },
});
const har = (...entries: object[]) => JSON.stringify({ log: { entries } });
const start = (text: string) =>
  startClones([{ service: "record", match: "https://rates.test/**", har: "rates.har" }], {
    recordings: { "rates.har": text },
    clock: systemClock,
    onExchange: unheard as never,
  });

let close = async () => {};
afterEach(() => close());
async function recorded(...entries: object[]) {
  const set = await start(har(...entries));
  close = set.close;
  const [clone] = set.clones;
  return {
    set,
    clone: clone!,
    ask: (...given: Parameters<typeof cloneRequest>) => clone!.handle(cloneRequest(...given)),
  };
}

describe("the record clone", () => {
  test("answers as it was recorded, in order, then with the last answer", async () => {
    const { ask, clone } = await recorded(
      entry("GET", RATES, '{"eur":1}'),
      entry("GET", RATES, '{"eur":2}'),
      entry("GET", `${RATES}?of=usd`, "", { status: 404, content: { text: "bm9uZQ==", encoding: "base64" } }),
    );
    const first = await ask("GET", RATES);
    expect(first).toMatchObject({
      status: 200,
      headers: { "x-rate": "1", "content-type": "application/json" },
    });
    expect(first.headers["content-encoding"]).toBeUndefined();
    expect([bodyOf(first), bodyOf(await ask("GET", RATES)), bodyOf(await ask("GET", RATES))]).toEqual([
      { eur: 1 },
      { eur: 2 },
      { eur: 2 },
    ]);
    const none = await ask("GET", `${RATES}?of=usd`);
    expect([none.status, String(none.body)]).toEqual([404, "none"]);
    expect(clone.state()).toEqual({ [`GET ${RATES}`]: 3, [`GET ${RATES}?of=usd`]: 1 });
    clone.restore({});
    expect(bodyOf(await ask("GET", RATES))).toEqual({ eur: 1 });
  });

  test("tells bodies apart, whatever the order of their keys", async () => {
    const post = (body: string, answer: string) =>
      entry("POST", RATES, answer, {}, { postData: { text: body } });
    const { ask } = await recorded(post('{"a":1,"b":2}', "1"), post('{"a":2}', "2"));
    expect(bodyOf(await ask("POST", RATES, '{"b":2,"a":1}'))).toBe(1);
    expect(bodyOf(await ask("POST", RATES, '{"a":2}'))).toBe(2);
    const unknown = await ask("POST", RATES, "{}");
    expect([unknown.status, bodyOf(unknown).error]).toEqual([
      404,
      `POST ${RATES} was not recorded with this body.`,
    ]);
  });

  test("is found at its own address by the rest of the recorded one, and says what was not recorded", async () => {
    const { set } = await recorded(entry("GET", `${RATES}?of=eur`, '{"eur":1}'));
    const own = set.addresses["record.url"];
    expect(await (await fetch(`${own}/v1/rates?of=eur`)).json()).toEqual({ eur: 1 });
    const missing = await fetch(`${own}/v1/rates`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toEqual({ error: `GET ${own}/v1/rates was not recorded in the HAR.` });
  });

  test("does not start from what is no HAR, and says why", async () => {
    expect(start("nonsense")).rejects.toThrow(
      "rates.har is no HAR that could be answered from: it is no JSON.",
    );
    expect(start("{}")).rejects.toThrow("it has no log.entries");
    expect(start(har({ request: { url: "x" }, response: {} }))).rejects.toThrow("entry 0 has no address");
    expect(readHar(har(entry("GET", RATES, "", { status: -1 })))).toEqual([]);
    const [one] = readHar(
      har(
        entry("GET", RATES, "", {
          headers: [
            { name: "x\r\ny", value: "1" },
            { name: "z", value: "a\r\nb" },
          ],
        }),
      ),
    );
    expect(one?.response.headers).toEqual({ "content-type": "application/json" });
  });
});
