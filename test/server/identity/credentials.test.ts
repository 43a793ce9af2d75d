import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unauthorized } from "../../../server/http/errors.ts";
import {
  type Credential,
  type CredentialResolver,
  unlimited,
} from "../../../server/identity/credentials/credential.ts";
import { createCredentials, firstKnown } from "../../../server/identity/credentials/credentials.ts";
import { createCredentialMemory } from "../../../server/identity/credentials/memory.ts";
import { toActor } from "../../../server/identity/credentials/named-org.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";

const ORG = "0b9f6f2e-3f0e-4f0e-9f0e-3f0e4f0e9f0e";
const internal = unlimited({ type: "internal", id: "a test", userId: null }, ORG);
const request = (headers: Record<string, string> = {}) => new Request("http://localhost/", { headers });

describe("a list of resolvers", () => {
  const passes: CredentialResolver = () => null;
  const knows: CredentialResolver = async () => internal;
  const refuses: CredentialResolver = async () => {
    throw unauthorized("No good.");
  };
  const refusesAtOnce: CredentialResolver = () => {
    throw unauthorized("No good at all.");
  };

  test("is asked in its order until one knows the form", async () => {
    expect(await firstKnown([], request(), "/")).toBeNull();
    expect(await firstKnown([passes, passes], request(), "/")).toBeNull();
    expect(await firstKnown([passes, knows, refuses], request(), "/")).toBe(internal);
  });

  test("is not asked further when the credential is no good", async () => {
    expect(firstKnown([passes, refuses, knows], request(), "/")).rejects.toThrow("No good.");
    expect(firstKnown([refusesAtOnce, knows], request(), "/")).rejects.toThrow("No good at all.");
  });
});

describe("the credentials of a request", () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ settings: { internal_service_token: "the-internal-token" } });
  });
  afterAll(() => t.close());

  const ours = () => {
    const { config, clock, store } = t.deps;
    return createCredentials({ config: { ...config, trustOrgHeader: true }, clock, records: store.records });
  };
  const check = async (headers: Record<string, string>, path = "/internal/v1/traces") => {
    try {
      return (await ours().check(request(headers), path))?.principal.type ?? null;
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("are looked for as key, session, internal token, org header, and the first that is there decides", async () => {
    const header = { "x-product-org": t.orgId };
    const token = { ...header, "x-internal-token": "the-internal-token" };
    const cookie = { ...token, cookie: "product_session=no-such-session" };
    expect(await check({})).toBeNull();
    expect(await check(header)).toBe("org_header");
    expect(await check(token)).toBe("internal");
    expect(await check(token, "/v1/traces")).toBe("org_header");
    expect(await check({ ...token, "x-internal-token": "another" })).toBe("The internal token is not right.");
    expect(await check(cookie)).toBe("The session has ended; sign in again.");
    expect(await check({ ...cookie, authorization: `Bearer ${t.apiKey}` })).toBe("api_key");
    const unknown = "The API key is not known, was revoked or has expired.";
    expect(await check({ ...cookie, authorization: `Bearer ${t.apiKey}x` })).toBe(unknown);
    expect(await check({ ...cookie, authorization: "Bearer another-kind-of-token" })).toBe(unknown);
    const malformed = "The Authorization header must be: Bearer <API key>.";
    expect(await check({ ...cookie, authorization: "Basic YTpi" })).toBe(malformed);
  });
});

describe("the memory of credentials", () => {
  function memory() {
    const time = { now: 1_000_000, monotonic: 0, looks: 0 };
    const made = createCredentialMemory({ now: () => time.now, monotonic: () => time.monotonic });
    const known = (found: { credential: Credential; expiresAt: number } | null, hash = "hash") =>
      made.known(hash, async () => {
        time.looks += 1;
        return found;
      });
    return { ...made, time, known, lasting: { credential: internal, expiresAt: Number.POSITIVE_INFINITY } };
  }

  test("lasts 30 s, and holds no longer than the credential", async () => {
    const { time, known, lasting } = memory();
    expect(await known(lasting)).toBe(internal);
    time.monotonic = 29_999;
    expect(await known(null)).toBe(internal);
    expect(time.looks).toBe(1);
    time.monotonic = 30_000;
    expect(await known(null)).toBeNull();
    expect(time.looks).toBe(2);
    expect(await known({ credential: internal, expiresAt: time.now + 1 })).toBe(internal);
    time.now += 1;
    expect(await known(lasting)).toBeNull();
  });

  test("is not kept of what is unknown", async () => {
    const { time, known, lasting } = memory();
    expect(await known(null)).toBeNull();
    expect(await known(lasting)).toBe(internal);
    expect(time.looks).toBe(2);
  });

  test("forgets one hash, or all that are meant", async () => {
    const { time, known, lasting, forget, forgetWhere } = memory();
    await known(lasting, "a");
    await known(lasting, "b");
    forget("a");
    await known(lasting, "a");
    await known(lasting, "b");
    expect(time.looks).toBe(3);
    forgetWhere(({ principal }) => principal.type === "session");
    await known(lasting, "a");
    expect(time.looks).toBe(3);
    forgetWhere(({ principal }) => principal.type === "internal");
    await known(lasting, "a");
    await known(lasting, "b");
    expect(time.looks).toBe(5);
  });
});

describe("an actor", () => {
  test("is the principal in the org that the request names, or in its own", () => {
    expect(toActor(internal, new Headers(), "127.0.0.1")).toMatchObject({
      type: "internal",
      id: "a test",
      orgId: ORG,
      userId: null,
      role: null,
      ip: "127.0.0.1",
    });
    const foreign = new Headers({ "x-org-id": "another" });
    expect(() => toActor(internal, foreign, null)).toThrow("does not belong to the org");
    const both = new Headers({ "x-org-id": ORG, "x-product-org": "another" });
    expect(() => toActor(internal, both, null)).toThrow("name different orgs");
  });
});
