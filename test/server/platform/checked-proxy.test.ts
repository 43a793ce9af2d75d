import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { type CheckedProxy, startCheckedProxy, type Unmade } from "../../../server/platform/checked-proxy.ts";

let target: Bun.Server<undefined>;
let proxy: CheckedProxy;
const unmade: Unmade[] = [];
beforeAll(async () => {
  target = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("reached") });
  proxy = await startCheckedProxy((one) => unmade.push(one));
});
afterEach(() => void unmade.splice(0));
afterAll(async () => {
  await proxy.close();
  await target.stop(true);
});

const NAME = 3;
const named = (host: string): Buffer => Buffer.concat([Buffer.from([NAME, host.length]), Buffer.from(host)]);

/** What the proxy answers to raw bytes until it closes, or answers `until` bytes. */
function say(bytes: Buffer, until = Number.POSITIVE_INFINITY): Promise<Buffer> {
  return new Promise((resolve) => {
    let heard = Buffer.alloc(0);
    const client = connect({ host: "127.0.0.1", port: Number(new URL(proxy.url).port) }, () =>
      client.write(bytes),
    );
    client.on("data", (data: Buffer) => {
      heard = Buffer.concat([heard, data]);
      if (heard.length >= until) client.destroy();
    });
    client.on("error", () => {});
    client.on("close", () => resolve(heard));
  });
}

async function codeFor(address: Buffer, port = target.port!, command = 1): Promise<number | undefined> {
  const end = Buffer.alloc(2);
  end.writeUInt16BE(port);
  const bytes = Buffer.concat([Buffer.from([5, 1, 0, 5, command, 0]), address, end]);
  const heard = await say(bytes, 12);
  expect([...heard.subarray(0, 3)]).toEqual([5, 0, 5]);
  return heard[3];
}

describe("the proxy that reaches public addresses only", () => {
  test("refuses this machine and its network, in every spelling of theirs", async () => {
    const names = [
      "127.0.0.1",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "2130706433",
      "0x7f.1",
      "017700000001",
      "127.1",
      "0.0.0.0",
      "::1",
      "[::1]",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "64:ff9b::7f00:1",
      "169.254.169.254",
      "fd00:ec2::254",
      "168.63.129.16",
      "100.100.100.200",
      "192.168.0.1",
      "10.0.0.1",
      "fe80::1",
    ];
    for (const name of names) expect([name, await codeFor(named(name))]).toEqual([name, 2]);
    expect(await codeFor(Buffer.from([1, 127, 0, 0, 1]))).toBe(2);
    expect(await codeFor(Buffer.from([4, ...new Uint8Array(15), 1]))).toBe(2);
    expect(unmade).toHaveLength(names.length + 2);
    expect(new Set(unmade.map(({ why }) => why))).toEqual(new Set(["not_public"]));
    expect(unmade[0]).toEqual({ host: "127.0.0.1", port: target.port!, why: "not_public" });
  });

  test("connects to what is allowed besides, at that port alone", async () => {
    const other = await startCheckedProxy((one) => unmade.push(one));
    const get = (port: number) =>
      new Promise<string>((resolve) => {
        const client = connect({ host: "127.0.0.1", port: Number(new URL(other.url).port) });
        let heard = "";
        const end = Buffer.alloc(2);
        end.writeUInt16BE(port);
        client.write(
          Buffer.concat([Buffer.from([5, 1, 0]), Buffer.from([5, 1, 0]), named("localhost"), end]),
        );
        client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        client.on("data", (data: Buffer) => {
          heard += data.toString("latin1");
        });
        client.on("error", () => {});
        client.on("close", () => resolve(heard));
      });
    other.allow(target.url.origin);
    expect(await get(target.port!)).toEndWith("reached");
    expect(await get(target.port! === 1 ? 2 : 1)).not.toContain("HTTP/1.1");
    other.allow("http://127.0.0.1:1");
    await get(1);
    expect(unmade.map(({ why }) => why)).toEqual(["not_public", "unreachable"]);
    await other.close();
  });

  test("says what it cannot do, and leaves who speaks something else", async () => {
    expect(await codeFor(named("nobody.invalid"))).toBe(4);
    expect(unmade.map(({ why }) => why)).toEqual(["unknown_host"]);
    expect(await codeFor(named("127.0.0.1"), target.port!, 3)).toBe(7);
    for (const bytes of ["GET / HTTP/1.1\r\n\r\n", "\x04\x01"])
      expect(await say(Buffer.from(bytes))).toHaveLength(0);
    expect([...(await say(Buffer.from([5, 1, 0, 5, 1, 0, 9, 1])))]).toEqual([5, 0]);
  });
});
