import { createHash } from "node:crypto";

export interface CodeHostPerson {
  id: number;
  login: string;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean; visibility?: string | null }[];
}

/** A stand-in on loopback that keeps to GitHub's web application flow, PKCE included, and to `/user` and `/user/emails`. */
export function startCodeHost() {
  let person: CodeHostPerson = { id: 1, login: "ada", name: null, emails: [] };
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const TOKEN = "gho_0123456789abcdef";
  const json = (body: unknown, status = 200) => Response.json(body, { status });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/login/oauth/authorize") {
        const code = crypto.randomUUID();
        const redirectUri = searchParams.get("redirect_uri")!;
        codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", redirectUri });
        const back = new URL(redirectUri);
        back.searchParams.set("code", code);
        back.searchParams.set("state", searchParams.get("state")!);
        return Response.redirect(back.href, 302);
      }
      if (pathname === "/login/oauth/access_token") {
        const form = new URLSearchParams(await request.text());
        const known = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        // The host answers refusals with 200.
        if (!known || known.challenge !== challenge || known.redirectUri !== form.get("redirect_uri"))
          return json({ error: "bad_verification_code", error_description: "The code is incorrect." });
        if (form.get("client_secret") !== "host secret")
          return json({ error: "incorrect_client_credentials" });
        return json({ access_token: TOKEN, scope: "read:user,user:email", token_type: "bearer" });
      }
      const isKnown = request.headers.get("authorization")?.toLowerCase() === `bearer ${TOKEN.toLowerCase()}`;
      if (!isKnown) return json({ message: "Requires authentication" }, 401);
      if (pathname === "/api/v3/user") return json({ id: person.id, login: person.login, name: person.name });
      if (pathname === "/api/v3/user/emails") return json(person.emails);
      return json({ message: "Not Found" }, 404);
    },
  });
  return {
    apiUrl: `http://127.0.0.1:${server.port}/api/v3`,
    signedIn(next: CodeHostPerson) {
      person = next;
    },
    async follow(start: string): Promise<URL> {
      const answer = await fetch(start, { redirect: "manual" });
      return new URL(answer.headers.get("location")!);
    },
    close: () => server.stop(true),
  };
}
