import { RunnerError } from "../errors.ts";
import type { Text } from "../language/ast.ts";

/** What the references of a scenario stand for in one run. */
export interface Values {
  /** @throws RunnerError when a value is missing */
  resolve(text: Text): string;
  /** @param secrets names of those that the value was made of */
  set(name: string, value: string, secrets?: readonly string[]): void;
  /** Names of the secrets that a text refers to, also by way of variables. */
  secretsIn(text: Text): string[];
}

export interface ValueSources {
  secrets: Record<string, string>;
  /** The only origins that a secret may go to; one that is not named here may go to all. */
  secretOrigins?: Record<string, readonly string[]>;
  synthetic: { email: string; name: string; region: string; shard: string };
  /** Addresses of the clones: `email.url`, `email.smtp`, `payments.url`, … */
  clones: Record<string, string>;
}

export function createValues({ secrets, synthetic, clones }: ValueSources): Values {
  const variables = new Map<string, string>();
  const madeOf = new Map<string, readonly string[]>();

  function lookUp(ref: string): string {
    const [namespace = "", ...rest] = ref.split(".");
    const name = rest.join(".");
    const known: Record<string, Record<string, string>> = {
      secrets,
      synthetic,
      clones,
      vars: Object.fromEntries(variables),
    };
    const value = Object.hasOwn(known[namespace] ?? {}, name) ? known[namespace]?.[name] : undefined;
    if (value !== undefined) return value;
    if (namespace === "secrets")
      throw new RunnerError(
        "value_missing",
        `The secret ${name} has no value here: give it one with \`tracedeck secrets set ${name}\` or PUT /v1/secrets/${name} (the server's first org also by TRACEDECK_SECRET_${name}, or secrets.${name} in settings.json).`,
      );
    throw new RunnerError("value_missing", `\${${ref}} has no value in this run.`);
  }

  return {
    resolve(text) {
      if (typeof text === "string") return text;
      return text.parts.map((part) => (typeof part === "string" ? part : lookUp(part.ref))).join("");
    },
    set(name, value, names = []) {
      variables.set(name, value);
      madeOf.set(name, names);
    },
    secretsIn(text) {
      const refs =
        typeof text === "string"
          ? []
          : text.parts.flatMap((part) => (typeof part === "string" ? [] : part.ref));
      return refs.flatMap((ref) => {
        const [namespace, name = ""] = ref.split(".");
        if (namespace === "secrets") return [name];
        return namespace === "vars" ? (madeOf.get(name) ?? []) : [];
      });
    },
  };
}
