import type { TSchema } from "@sinclair/typebox";
import { describeSchema } from "../../store/describe-schema.ts";
import { defaultSettings } from "../../store/settings.ts";
import { SettingsSchema } from "../../store/settings-schema.ts";
import { PLANS } from "../config.ts";
import { ENVIRONMENT } from "../environment.ts";
import { SETTINGS_WORDS } from "./settings-words.ts";
import { code, escapeText, table } from "./table.ts";

interface Key {
  /** Dotted path; `*` stands for a name that a person gives. */
  path: string;
  schema: TSchema;
}

/** Every key of settings.json that has a value of its own. */
export function settingsKeys(schema: TSchema = SettingsSchema, path = ""): Key[] {
  const members = (schema.anyOf as TSchema[] | undefined) ?? [schema];
  const object = members.find(({ type }) => type === "object");
  if (!object) return [{ path, schema }];
  const inner = Object.entries((object.properties ?? {}) as Record<string, TSchema>);
  const named = Object.values((object.patternProperties ?? {}) as Record<string, TSchema>);
  const below = [...inner, ...named.map((one): [string, TSchema] => ["*", one])];
  // A secret is a text or an object.
  const own = members.some(({ type }) => type === "string") ? [{ path, schema }] : [];
  return [
    ...own,
    ...below.flatMap(([name, one]) => settingsKeys(one, path === "" ? name : `${path}.${name}`)),
  ];
}

const SECTIONS: Record<string, string> = {
  "": "Keys at the top",
  retention: "How long things are kept",
  rate_limits: "Limits of requests",
  debugger: "The model that answers questions and proposes fixes",
  code_host: "The code host",
  sso: "Single sign-on",
  notifications: "Notifications",
  browser: "Runs and their browser",
  regions: "Regions",
  synthetic: "Synthetic users",
  secrets: "Secrets",
  redaction: "What is masked",
  mender: "The mender",
};

const sectionOf = (path: string): string => (path.includes(".") ? path.split(".")[0]! : "");

/** The topic of settings, as Markdown. */
export function settingsTopic(): string {
  const keys = settingsKeys();
  const sections = [...new Set(keys.map(({ path }) => sectionOf(path)))];
  return [
    "# Settings",
    "What a person may set stands in `settings.json` in the data folder. Every key may be left out; an unknown key or a wrong value is refused when the program starts, with its line. The file is read once: start the server again after a change. The program never writes it. A flag of the command line wins over the environment, which wins over this file.",
    `\`\`\`json settings\n${EXAMPLE}\n\`\`\``,
    ...sections.flatMap((section) => [
      `## ${SECTIONS[section] ?? section} {#${section === "" ? "top" : section}}`,
      table(
        ["key", "is", "without it", "for"],
        keys
          .filter(({ path }) => sectionOf(path) === section)
          .map(({ path, schema }) => [
            code(path.replaceAll("*", "NAME")),
            escapeText(describeSchema(schema)),
            defaultOf(path),
            SETTINGS_WORDS[path] ?? "",
          ]),
      ),
    ]),
    "## Plans",
    "What `plan` sets, where the keys for it are left out.",
    table(
      [
        ...["plan", "hot days", "warm days", "largest upload", "replays at once", "scheduled runs at once"],
        ...["regions", "shortest schedule"],
      ],
      Object.entries(PLANS).map(([plan, limits]) => [
        code(plan),
        String(limits.hotDays),
        String(limits.warmDays),
        `${limits.uploadCapBytes / 1024 ** 2} MiB`,
        String(limits.replaysAtOnce),
        String(limits.scheduledAtOnce),
        String(limits.regions),
        `${limits.leastMinutes} min`,
      ]),
    ),
    "## Environment",
    "Variables that the program reads. A flag of the command line wins over each.",
    table(
      ["variable", "is", "without it", "for"],
      Object.entries(ENVIRONMENT).map(([name, { is, usual, what }]) => [code(name), is, usual, what]),
    ),
  ].join("\n\n");
}

const EXAMPLE = JSON.stringify(
  {
    plan: "team",
    public_url: "https://traces.example.com",
    retention: { hot_days: 14, max_bytes: 500_000_000_000 },
    rate_limits: { ingests_per_minute: 300 },
    browser: { allow_private_targets: false, slots: 4 },
  },
  null,
  2,
);

/** What the whole file has for a key that is left out, as JSON. */
function defaultOf(path: string): string {
  let value: unknown = defaultSettings();
  for (const name of path.split(".")) {
    if (name === "*" || value === null || typeof value !== "object") return "";
    value = (value as Record<string, unknown>)[name];
  }
  return value === null || value === undefined ? "" : code(JSON.stringify(value));
}
