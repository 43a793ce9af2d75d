import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Deps } from "../../deps.ts";

const NAME = "product_signin";
const FLOW_MS = 10 * 60_000;
const PLACE = { orgId: "", name: "sign-in flow", origins: null };

const Flow = Type.Object({
  kind: Type.Union([Type.Literal("sso"), Type.Literal("code_host")]),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  redirectUri: Type.String(),
  next: Type.String(),
  until: Type.Number(),
});
/** What a browser that went to a provider brings back: nobody else can use the answer. Epoch ms. */
export type Flow = (typeof Flow)["static"];

type FlowDeps = Pick<Deps, "vault" | "clock">;

/** `Set-Cookie` for a browser that goes to a provider. It is sealed, so that it says nothing and cannot be made up. */
export function flowCookie(deps: FlowDeps, flow: Omit<Flow, "until">, isSecure: boolean): string {
  const sealed = deps.vault.seal(PLACE, JSON.stringify({ ...flow, until: deps.clock.now() + FLOW_MS }));
  return withValue(Buffer.from(sealed).toString("base64url"), FLOW_MS / 1000, isSecure);
}

/** Takes it away: each answer counts once. */
export const endFlow = (isSecure: boolean): string => withValue("", 0, isSecure);

/** What the browser went away with; null when there is none, or it is too old. */
export function readFlow(deps: FlowDeps, request: Request): Flow | null {
  const [, value] =
    new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]+)`).exec(request.headers.get("cookie") ?? "") ?? [];
  const opened = value ? deps.vault.open(PLACE, Buffer.from(value, "base64url")) : null;
  if (opened === null) return null;
  const flow: unknown = JSON.parse(opened);
  return Value.Check(Flow, flow) && deps.clock.now() < flow.until ? flow : null;
}

function withValue(value: string, seconds: number, isSecure: boolean): string {
  return `${NAME}=${value}; Path=/signin; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}
