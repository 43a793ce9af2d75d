import { createHmac } from "node:crypto";
import { CONSENT_STYLE_PATH } from "../../http/consent-style.ts";
import { escapeHtml, formPolicy, framedPage } from "../../http/pages.ts";
import { isEqualSecret } from "../key-secrets.ts";
import { type AgentScope, expandScopes, type Scope } from "../scopes.ts";
import type { Choice } from "./authorize.ts";
import type { Target } from "./demand.ts";
import { policySource, redirectPlace } from "./redirect-uris.ts";
import { SCOPE_WORDS } from "./scope-text.ts";

/** A tool as the page names it: with one of these scopes it can be called. */
export interface ToolName {
  title: string;
  scope: readonly Scope[];
}

interface Asked {
  target: Target;
  choices: readonly [Choice, ...Choice[]];
  /** What the client asks for, whatever the roles allow. */
  scopes: readonly AgentScope[];
  tools: readonly ToolName[];
  /** The request's query string, which comes back with the form. */
  request: string;
  sessionToken: string;
}

/** The same as `viewer/ui/mark.svg`. */
const MARK =
  '<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3.5" class="ground"/><path d="M3 5h7M3 8h10M3 11h5" class="lines"/></svg>';

/** The page that asks a person whether a program may act in its name. It works without scripts and runs none. */
export function consentPage(asked: Asked): Response {
  const { target, choices, scopes, request, sessionToken } = asked;
  const { client, redirectUri } = target;
  const called = client.name ?? client.documentHost ?? "An unnamed program";
  const name = escapeHtml(called);
  const shown = scopes.filter((scope) => choices.some((choice) => choice.scopes.includes(scope)));
  const from = client.documentHost
    ? `It is vouched for by <strong>${escapeHtml(client.documentHost)}</strong>.`
    : "It chose its name itself.";
  return framedPage({
    title: `Let ${called} in?`,
    style: CONSENT_STYLE_PATH,
    // Browsers ask the policy also where the answer to a form leads on to.
    policy: formPolicy(policySource(redirectUri)),
    main: `<p class="mark">${MARK} Tracedeck</p>
<h1>Let ${name} use Tracedeck in your name?</h1>
<p class="dim">${from} The answer goes to <strong>${escapeHtml(redirectPlace(redirectUri))}</strong>. Allow it only if you have just started this yourself.</p>
<form method="post" action="/api/oauth/authorize">
<input type="hidden" name="request" value="${escapeHtml(request)}">
<input type="hidden" name="csrf" value="${csrfToken(sessionToken, request)}">
<h2>It may</h2>
<ul>
${shown.map((scope) => scopeItem(scope, asked.tools)).join("\n")}
</ul>
${whichOrg(choices, shown)}
<div class="actions">
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="allow" class="primary">Allow</button>
</div>
</form>
<p class="dim end">It can never do more than you. You can end this at any time under Settings, Connected agents.</p>`,
  });
}

function scopeItem(scope: AgentScope, tools: readonly ToolName[]): string {
  const held = expandScopes([scope]);
  const opened = tools.filter((tool) => tool.scope.some((one) => held.has(one))).map(({ title }) => title);
  const names = opened.length > 0 ? `<span>${escapeHtml(opened.join(" · "))}</span>` : "";
  return `<li>${escapeHtml(SCOPE_WORDS[scope])} <code class="dim">${scope}</code>${names}</li>`;
}

function whichOrg(choices: Asked["choices"], shown: readonly AgentScope[]): string {
  const [first, ...more] = choices;
  if (more.length === 0)
    return `<input type="hidden" name="org" value="${first.orgId}">
<h2>In the organisation</h2>
<p>${escapeHtml(first.name)}, where you are ${first.role}.</p>`;
  const options = choices.map(({ orgId, name, role, scopes }, at) => {
    const lacking = shown.filter((scope) => !scopes.includes(scope));
    const less = lacking.length > 0 ? `; without ${lacking.join(", ")}` : "";
    return `<label><input type="radio" name="org" value="${orgId}"${at === 0 ? " checked" : ""}> <span>${escapeHtml(name)}<small>you are ${role} there${less}</small></span></label>`;
  });
  return `<fieldset><legend>In which organisation?</legend>
${options.join("\n")}
</fieldset>`;
}

/** Proof that a form was made for this session and for this request: only the server and the session's own browser know it. */
function csrfToken(sessionToken: string, request: string): string {
  return createHmac("sha256", sessionToken).update(`oauth consent\n${request}`).digest("base64url");
}

export function isCsrfToken(token: string, sessionToken: string, request: string): boolean {
  return isEqualSecret(token, csrfToken(sessionToken, request));
}
