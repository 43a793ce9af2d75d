import type { ElementHandle, Locator, Page } from "playwright-core";
import { askDocument, DISCONNECTED, type InDocument, type Injected } from "../browsers/internals.ts";
import { untraced } from "../browsers/untraced.ts";
import type { Text } from "../language/ast.ts";
import type { Environment } from "./environment.ts";
import { type BoundSecret, judge } from "./secret-origins.ts";

/*
 * How text comes into pages. Playwright sets the focus, and then types into what has the focus by then: a page that takes the
 * focus away in between gets the text. What holds a bound secret is therefore put into the very document that was judged. A
 * handle stands for an element of one document: when its frame goes on to another, whatever is asked of the handle fails.
 * What remains is that documents of one origin may hand elements to each other, and that a document that may have the
 * secret does with it what it wants.
 */

/** @throws RunnerError `secret_not_allowed`, or what Playwright throws */
export async function fillIn(
  environment: Environment,
  locator: Locator,
  text: Text,
  timeout: number,
): Promise<void> {
  const value = environment.values.resolve(text);
  const handle = await judgedElement(environment, locator, text, timeout);
  if (!handle) return locator.fill(value, { timeout });
  await handle.waitForElementState("editable", { timeout });
  await within(handle, fillHere, value);
}

/** @throws RunnerError `secret_not_allowed`, or what Playwright throws */
export async function typeIn(
  environment: Environment,
  locator: Locator,
  text: Text,
  timeout: number,
): Promise<void> {
  const value = environment.values.resolve(text);
  const handle = await judgedElement(environment, locator, text, timeout);
  if (!handle) return locator.pressSequentially(value, { timeout });
  await handle.waitForElementState("visible", { timeout });
  await within(handle, focusHere, null);
  await typeLines(handle, value);
}

/** Into what has the focus, in whichever frame. @throws RunnerError `secret_not_allowed`, or what Playwright throws */
export async function typeAtFocus(environment: Environment, text: Text): Promise<void> {
  const page = environment.page();
  const value = environment.values.resolve(text);
  const bound = environment.secretRules.boundIn([text]);
  if (bound.length === 0) return page.keyboard.type(value);
  const handle = await untraced(page.context(), () => focusedIn(page));
  await judgeElement(handle, bound);
  await typeLines(handle, value);
}

/**
 * The element as it stands in a document where the text may go; null when the text may go everywhere.
 * @throws RunnerError `secret_not_allowed`
 */
export async function judgedElement(
  environment: Environment,
  locator: Locator,
  text: Text,
  timeout: number,
): Promise<ElementHandle | null> {
  const bound = environment.secretRules.boundIn([text]);
  if (bound.length === 0) return null;
  const handle = await untraced(locator.page().context(), () => locator.elementHandle({ timeout }));
  if (!handle) throw new Error("The element has gone.");
  await judgeElement(handle, bound);
  return handle;
}

async function judgeElement(handle: ElementHandle, bound: readonly BoundSecret[]): Promise<void> {
  judge(bound, await within(handle, originHere, null));
}

/** `Enter` sends forms off, and holds no secret. */
async function typeLines(handle: ElementHandle, text: string): Promise<void> {
  for (const [at, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (at > 0) await handle.press("Enter");
    for (const char of line) await within(handle, typeHere, char);
  }
}

/** The element that has the focus; of a frame, the one within it. */
async function focusedIn(page: Page): Promise<ElementHandle> {
  let frame = page.mainFrame();
  for (;;) {
    const handle: ElementHandle = await frame.evaluateHandle(focusedHere);
    const inner = await handle.contentFrame();
    if (!inner) return handle;
    frame = inner;
  }
}

/** Runs in the page, so it refers to nothing outside itself; so do the functions below. */
function focusedHere(): Element {
  let element = document.activeElement ?? document.documentElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Asks the document of an element, in a world that its page has no hand in. @throws when the document is no more */
async function within<A, R>(handle: ElementHandle, here: InDocument<A, R>, argument: A): Promise<R> {
  const answer = await askDocument(handle, here, argument);
  if (answer === DISCONNECTED)
    throw new Error("The element went away with its page before anything was typed into it.");
  return answer as R;
}

/** An address alone does not tell: what is in a sandbox has its server's address, and `about:blank` its opener's origin. */
function originHere([, node]: [Injected, Element, null]): string | null {
  const view = node.ownerDocument.defaultView;
  if (!view || !/^https?:$/.test(view.location.protocol) || view.origin === "null") return null;
  return view.origin;
}

function fillHere([injected, node, text]: [Injected, Element, string]): string {
  const state = injected.fill(node, text);
  if (state === "needsinput") node.ownerDocument.execCommand("insertText", false, text);
  return state;
}

function focusHere([injected, node]: [Injected, Element, null]): void {
  injected.focusNode(node, true);
}

function typeHere([, node, char]: [Injected, Element, string]): void {
  const document = node.ownerDocument;
  const target = document.activeElement ?? document.documentElement;
  const key = { key: char, bubbles: true, cancelable: true, composed: true };
  if (target.dispatchEvent(new KeyboardEvent("keydown", key)))
    document.execCommand("insertText", false, char);
  target.dispatchEvent(new KeyboardEvent("keyup", key));
}
