import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createAddressOf, networkOf } from "../../../server/http/addresses.ts";

const from = (header: string | null, trustProxy = true) => {
  const addressOf = createAddressOf({ peerOf: () => "10.0.0.1", trustProxy });
  return addressOf(
    new Request("http://localhost/", header === null ? {} : { headers: { "x-forwarded-for": header } }),
  );
};

describe("the address of a request", () => {
  test("is that of the socket, whatever a header says", () => {
    expect(from("203.0.113.7", false)).toBe("10.0.0.1");
  });

  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["198.51.100.1, 203.0.113.7", "203.0.113.7"],
    ["127.0.0.1,  203.0.113.7:5123 ", "203.0.113.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["evil, [2001:db8::1]:443", "2001:db8::1"],
  ])("behind a trusted proxy is the last of %p, which the proxy wrote", (header, address) => {
    expect(from(header)).toBe(address);
  });

  test.each([[null], [""], ["unknown"], ["203.0.113.7, "], ["999.1.1.1"], ["[1.2.3.4]x"]])(
    "is that of the proxy when it says %p",
    (header) => {
      expect(from(header)).toBe("10.0.0.1");
    },
  );
});

describe("what is counted as one address", () => {
  test("is the whole of IPv4, also in IPv6's spelling", () => {
    expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
    expect(networkOf("::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(networkOf("::FFFF:cb00:7107")).toBe("203.0.113.7");
    expect(networkOf("203.0.113.8")).not.toBe(networkOf("203.0.113.7"));
  });

  test("is a /64 of IPv6, however it is spelled", () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        fc.pre(one.slice(0, 4).some((group) => group !== 0));
        const near = [...one.slice(0, 4), ...other.slice(4)];
        const spell = (address: number[]) => address.map((group) => group.toString(16)).join(":");
        const long = (address: number[]) =>
          address.map((group) => group.toString(16).padStart(4, "0").toUpperCase()).join(":");
        const short = new URL(`http://[${spell(near)}]`).hostname.slice(1, -1);
        expect(networkOf(long(one))).toBe(networkOf(spell(near)));
        expect(networkOf(short)).toBe(networkOf(spell(near)));
        expect(networkOf(`${short}%eth0`)).toBe(networkOf(spell(near)));
        const far = [...near];
        far[3] = far[3]! ^ 1;
        expect(networkOf(spell(far))).not.toBe(networkOf(spell(near)));
      }),
    );
  });
});
