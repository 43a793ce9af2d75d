import { isExpect } from "./actions.ts";
import type { Action, Context } from "./context.ts";

/** An error that names the call which it ended: `locator.click: …`. */
const OF_A_CALL =
  /^(?:\w*Error: )?(?:page|frame|frameLocator|locator|elementHandle|browserContext|keyboard|mouse)\.\w+: /;

const OF_THE_TEST = /^Test timeout of \d+ ?ms exceeded/;

/**
 * Gives the call that a runner's trace leaves open the error that ended it. When a test runs out of time while a trace is being
 * written, the end of the call may be missing; then its error stands alone or on the step around it, or only the test's own is there.
 */
export function closeInterrupted({ isRunner, actions, errors, latest }: Context): void {
  if (!isRunner) return;
  const all = [...actions.values()];
  const after = all.findIndex(({ className, title }) => className === "Test" && title === "After Hooks");
  const calls = all.filter(isCall);
  const open = all
    .slice(0, after < 0 ? all.length : after)
    .findLast((one) => isCall(one) && one.end === null);
  if (!open || open.error) return;
  const told = new Set(calls.flatMap(({ error }) => error?.message ?? []));
  const error =
    [...errors, ...all.flatMap((one) => one.error ?? [])].find(
      ({ message }) => OF_A_CALL.test(message) && !told.has(message),
    ) ?? (isInFixture(open, actions) ? undefined : errors.find(({ message }) => OF_THE_TEST.test(message)));
  if (!error) return;
  open.error = { message: error.message };
  open.end = after < 0 ? latest : all[after]!.start;
}

const MOST_DEPTH = 100;

/** What a fixture waits for is told by the fixture. */
function isInFixture(action: Action, actions: Context["actions"]): boolean {
  let at: Action | undefined = action;
  for (let depth = 0; at && depth < MOST_DEPTH; depth++) {
    if (at.className === "Test" && at.method === "fixture") return true;
    at = at.parentId ? actions.get(at.parentId) : undefined;
  }
  return false;
}

/** A call of the library, or an assertion. */
const isCall = (action: Action) => action.method === "pw:api" || isExpect(action);

/** Gives the steps that the runner began from nowhere the place where their error was thrown: a `test.step` has no stack of its own. */
export function placeErrors({ isRunner, actions, errors }: Context): void {
  if (!isRunner) return;
  const stacks = new Map(
    errors.flatMap(({ message, stack }) => (stack && stack.length > 0 ? [[message, stack] as const] : [])),
  );
  for (const action of actions.values()) {
    const stack = action.error && stacks.get(action.error.message);
    if (stack && (action.stack ?? []).length === 0) action.stack = stack;
  }
}
