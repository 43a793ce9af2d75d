import type { CompiledScenario } from "../language/ast.ts";

/** The values of the secrets that a scenario names; those that have none here are left out. */
export function secretsFor(
  scenario: CompiledScenario,
  all: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    scenario.secrets.flatMap((name) => {
      const value = Object.hasOwn(all, name) ? all[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
