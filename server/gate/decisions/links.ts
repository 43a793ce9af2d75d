import { hkdfSync } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Ids } from "../../platform/ids.ts";

const PURPOSE = "tracedeck gate links 1";
const DECISION = "tracedeck:gate-decision";
const PICTURE = "tracedeck:gate-picture";
/** How long a link to a decision is good (decisions, section 7), and one to a picture. */
export const LINK_MS = 60 * 60_000;
const PICTURE_MS = 90 * 24 * LINK_MS;

export type DecisionAct = "approve" | "reject";

/** What a link to a decision stands for. */
export interface DecisionClaims {
  gateId: string;
  orgId: string;
  act: DecisionAct;
  /** Of this link alone. */
  jti: string;
}

/** Links that carry their own permission: a JWT (RFC 7519, HS256) in the query string. */
export interface GateLinks {
  /** @param issuer where this server is reached; `now` is epoch ms */
  signDecision(of: Omit<DecisionClaims, "jti"> & { issuer: string }, now: number): Promise<string>;
  /** @returns `expired` for a link of ours that has ended, `invalid` for whatever is none */
  readDecision(token: string, now: number): Promise<DecisionClaims | "expired" | "invalid">;
  signPicture(of: { gateId: string; slug: string }, now: number): Promise<string>;
  readPicture(token: string, now: number): Promise<{ gateId: string; slug: string } | null>;
}

/** @param signingKey the bytes of `signing.key`; the key of these links is derived from it (RFC 5869) */
export function createGateLinks(signingKey: Uint8Array, ids: Pick<Ids, "uuid">): GateLinks {
  const key = new Uint8Array(hkdfSync("sha256", signingKey, "", PURPOSE, 32));

  const token = (
    claims: Record<string, string>,
    audience: string,
    subject: string,
    now: number,
    ms: number,
  ) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor((now + ms) / 1000));

  async function read(text: string, audience: string, now: number) {
    const options = {
      algorithms: ["HS256"],
      audience,
      currentDate: new Date(now),
      requiredClaims: ["exp", "sub"],
    };
    try {
      return (await jwtVerify(text, key, options)).payload;
    } catch (error) {
      return error instanceof errors.JWTExpired ? ("expired" as const) : ("invalid" as const);
    }
  }

  return {
    signDecision: ({ gateId, orgId, act, issuer }, now) =>
      token({ act, org: orgId }, DECISION, gateId, now, LINK_MS)
        .setIssuer(issuer)
        .setJti(ids.uuid())
        .sign(key),
    async readDecision(text, now) {
      const found = await read(text, DECISION, now);
      if (typeof found === "string") return found;
      const { sub, org, act, jti } = found;
      if (typeof org !== "string" || (act !== "approve" && act !== "reject") || !jti) return "invalid";
      return { gateId: sub!, orgId: org, act, jti };
    },
    signPicture: ({ gateId, slug }, now) => token({ slug }, PICTURE, gateId, now, PICTURE_MS).sign(key),
    async readPicture(text, now) {
      const found = await read(text, PICTURE, now);
      if (typeof found === "string" || typeof found.slug !== "string") return null;
      return { gateId: found.sub!, slug: found.slug };
    },
  };
}
