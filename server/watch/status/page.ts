import { escapeHtml, pagePolicy } from "../../http/pages.ts";
import type { ComponentStatus, StatusSummary } from "./model.ts";

/** Sign and word: the status never lies in the colour alone. */
const SIGNS: Record<ComponentStatus, { sign: string; word: string }> = {
  operational: { sign: "✓", word: "Operational" },
  degraded_performance: { sign: "▲", word: "Degraded performance" },
  partial_outage: { sign: "✕", word: "Partial outage" },
  major_outage: { sign: "✕", word: "Major outage" },
  under_maintenance: { sign: "•", word: "Under maintenance" },
};

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --good: light-dark(#0b6b34, #5fd08a); --bad: light-dark(#b3141c, #ff8a85); --slow: light-dark(#8a4b00, #f0b35b); --calm: light-dark(#1a5fc2, #6cabff); --line: light-dark(#dcdfe4, #34373d); --dim: light-dark(#545b66, #a4abb6); --ground: light-dark(#f5f6f8, #1f2226); }
body { margin: 0; background: light-dark(#fff, #17191c); }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline; }
h1 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
.dim { color: var(--dim); font-size: .875rem; }
.whole { margin: 1.25rem 0 0; padding: .9rem 1rem; border-left: 4px solid; border-radius: 4px; background: var(--ground); font-weight: 600; }
ul, ol { list-style: none; margin: 0; padding: 0; }
.parts { border: 1px solid var(--line); border-radius: 6px; }
.parts li { display: flex; flex-wrap: wrap; gap: .1rem 1rem; justify-content: space-between; padding: .65rem 1rem; }
.parts li + li { border-top: 1px solid var(--line); }
.parts b { font-weight: 500; overflow-wrap: anywhere; }
.incident { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
.incident + .incident { margin-top: .75rem; }
.incident ol { margin-top: .4rem; }
.none, .operational { color: var(--good); }
.under_maintenance { color: var(--calm); }
.minor, .degraded_performance { color: var(--slow); }
.major, .critical, .partial_outage, .major_outage { color: var(--bad); }
`;

const at = (iso: string) => `<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;

/** The status as a page for everybody. It runs no script. */
export function statusPage(summary: StatusSummary): Response {
  const { page, status, components, incidents, scheduled_maintenances: planned } = summary;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.name)} status · Tracedeck</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header><h1>${escapeHtml(page.name)} status</h1><p class="dim">Newest result ${at(page.updated_at)}</p></header>
<p class="whole${components.length === 0 ? "" : ` ${status.indicator}`}">${escapeHtml(status.description)}</p>
${incidents.length === 0 ? "" : `<h2>Going on now</h2>\n${incidents.map(incidentBox).join("\n")}`}
${components.length === 0 ? "" : `<h2>What is watched</h2>\n<ul class="parts">\n${components.map(componentLine).join("\n")}\n</ul>`}
${planned.length === 0 ? "" : `<h2>Maintenance</h2>\n${planned.map(maintenanceBox).join("\n")}`}
</main>
</body>
</html>
`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicy({ mayBeFramed: false, styles: [STYLE] }),
      "cache-control": "public, max-age=30",
    },
  });
}

function componentLine({ name, status }: StatusSummary["components"][number]): string {
  const { sign, word } = SIGNS[status];
  return `<li><b>${escapeHtml(name)}</b> <span class="${status}"><span aria-hidden="true">${sign}</span> ${word}</span></li>`;
}

function maintenanceBox(one: StatusSummary["scheduled_maintenances"][number]): string {
  const { name, status, scheduled_for, scheduled_until, components } = one;
  const begins = status === "in_progress" ? "Goes on since" : "From";
  const meant = components.map((component) => escapeHtml(component.name)).join(", ");
  return `<section class="incident"><h3>${escapeHtml(name)}</h3><p>${begins} ${at(scheduled_for)} until ${at(scheduled_until)}</p><p class="dim">${meant}</p></section>`;
}

function incidentBox({ name, impact, incident_updates }: StatusSummary["incidents"][number]): string {
  const updates = incident_updates.map(
    ({ status, body, created_at }) =>
      `<li><strong>${status[0]!.toUpperCase()}${status.slice(1)}</strong>: ${escapeHtml(body)} <span class="dim">${at(created_at)}</span></li>`,
  );
  return `<section class="incident"><h3 class="${impact}">${escapeHtml(name)}</h3><ol>${updates.join("")}</ol></section>`;
}
