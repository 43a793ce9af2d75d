import type { Action } from "./context.ts";
import { describeSelector } from "./locator.ts";
import { record, text } from "./shape.ts";

/** What a person reads of a call; `{…}` is a parameter of it. */
const TITLES = new Map(
  Object.entries({
    ariaSnapshot: "Read the accessibility tree of {selector}",
    blur: "Leave {selector}",
    bringToFront: "Bring the page to the front",
    check: "Check {selector}",
    clearCookies: "Clear cookies",
    click: "Click {selector}",
    clockFastForward: "Fast-forward the clock",
    clockInstall: "Install the clock",
    clockPauseAt: "Pause the clock",
    clockResume: "Resume the clock",
    clockRunFor: "Run the clock",
    clockSetFixedTime: "Set a fixed time",
    clockSetSystemTime: "Set the system time",
    close: "Close",
    consoleMessages: "Read the console",
    content: "Read the page's HTML",
    dblclick: "Double click {selector}",
    dispatchEvent: "Dispatch {type} on {selector}",
    dragAndDrop: "Drag {source} to {target}",
    evalOnSelector: "Evaluate on {selector}",
    evalOnSelectorAll: "Evaluate on all {selector}",
    evaluateExpression: "Evaluate",
    evaluateExpressionHandle: "Evaluate",
    fetch: "{method} {url}",
    fill: "Fill {selector} with {value}",
    focus: "Focus {selector}",
    getAttribute: "Read attribute {name} of {selector}",
    goBack: "Go back",
    goForward: "Go forward",
    goto: "Go to {url}",
    hover: "Hover over {selector}",
    innerHTML: "Read the HTML of {selector}",
    innerText: "Read the text of {selector}",
    inputValue: "Read the value of {selector}",
    isChecked: "Whether {selector} is checked",
    isEnabled: "Whether {selector} is enabled",
    isVisible: "Whether {selector} is visible",
    keyboardDown: "Press down {key}",
    keyboardInsertText: "Insert {text}",
    keyboardPress: "Press {key}",
    keyboardType: "Type {text}",
    keyboardUp: "Release {key}",
    mouseClick: "Click at {x}, {y}",
    mouseDown: "Press the mouse button",
    mouseMove: "Move the mouse to {x}, {y}",
    mouseUp: "Release the mouse button",
    mouseWheel: "Turn the mouse wheel",
    newContext: "Open a context",
    newPage: "Open a page",
    pageErrors: "Read the page's errors",
    pdf: "Print to PDF",
    press: "Press {key} on {selector}",
    queryCount: "Count {selector}",
    querySelector: "Find {selector}",
    querySelectorAll: "Find all {selector}",
    reload: "Reload",
    requests: "Read the requests",
    screenshot: "Take a screenshot",
    scrollIntoViewIfNeeded: "Scroll {selector} into view",
    selectOption: "Select in {selector}",
    selectText: "Select the text of {selector}",
    setContent: "Set the page's HTML",
    setExtraHTTPHeaders: "Set extra headers",
    setInputFiles: "Choose files in {selector}",
    setViewportSize: "Resize the page",
    tap: "Tap {selector}",
    textContent: "Read the text of {selector}",
    title: "Read the page's title",
    type: "Type {text} into {selector}",
    uncheck: "Uncheck {selector}",
    waitForEventInfo: "Wait for an event",
    waitForFunction: "Wait for a function",
    waitForLoadState: "Wait for the page to load",
    waitForNavigation: "Wait for navigation",
    waitForSelector: "Wait for {selector}",
    waitForTimeout: "Wait",
  }),
);

/** A parameter that a call was not given: Playwright leaves its name in the title (`Install clock "{timeNumber|timeString}"`). */
const NOT_GIVEN = / "\{\w{1,40}(?:\|\w{1,40}){0,4}\}"$/;

/** Of a script, what a title shows. */
const SCRIPT_LENGTH = 120;

const CLASS_NAMES = new Map([
  ["Frame", "page"],
  ["APIRequestContext", "request"],
]);
const METHOD_NAMES = new Map([
  ["evaluateExpression", "evaluate"],
  ["evaluateExpressionHandle", "evaluateHandle"],
  ["queryCount", "count"],
]);

/** The call as code names it: `page.click`. What the archive says wins; newer ones do not say. */
export function nameOf(action: Action): string {
  if (action.apiName) return action.apiName.replace(/^expect\./, "");
  if (action.method === "expect") return /"([^"]+)"/.exec(action.title ?? "")?.[1] ?? "expect";
  if (action.className === "Test") return action.title ?? action.method;
  if (!action.method) return action.title ?? "action";
  const owner =
    CLASS_NAMES.get(action.className) ?? action.className.charAt(0).toLowerCase() + action.className.slice(1);
  return `${owner || "call"}.${METHOD_NAMES.get(action.method) ?? action.method}`;
}

/** The call as a person reads it: `Click getByRole('button', { name: 'Pay now' })`. */
export function titleOf(action: Action): string {
  const script = text(action.params.expression);
  if (
    script !== undefined &&
    (action.title ?? "Evaluate") === "Evaluate" &&
    action.method.startsWith("evaluate")
  )
    return `Evaluate ${shortened(script)}`;
  // Its own title names neither end.
  const drag =
    action.method === "dragAndDrop" ? fillIn(TITLES.get(action.method)!, action.params) : undefined;
  if (drag !== undefined) return drag;
  if (action.subtitle) return `${action.title ?? action.method} ${action.subtitle}`;
  const isNamed = action.title !== undefined && action.title !== action.apiName;
  if (isNamed && action.className === "Test")
    return action.method === "pw:api" ? action.title!.replace(NOT_GIVEN, "") : action.title!;
  const selector = text(action.params.selector);
  if (action.method === "expect" && selector)
    return `${action.title ?? "expect"} ${describeSelector(selector)}`;
  if (isNamed) return action.title!;
  const pattern = TITLES.get(action.method)?.replace(selector ? "" : / of \{selector\}$/, "");
  return (pattern && fillIn(pattern, action.params)) ?? action.title ?? nameOf(action);
}

/** A script on one line, of a function that takes nothing its body. */
function shortened(script: string): string {
  const line = script.replace(/\s+/g, " ").trim();
  const body = line.replace(/^(?:async )?\(\) ?=> ?/, "").replace(/^\{ ?(.+?) ?\}$/, "$1");
  return body.length > SCRIPT_LENGTH ? `${body.slice(0, SCRIPT_LENGTH).toWellFormed()}…` : body;
}

/** Undefined when a parameter that the pattern names is missing. */
function fillIn(pattern: string, params: Record<string, unknown>): string | undefined {
  let isWhole = true;
  const filled = pattern.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = record(params)[key];
    if (typeof value === "number") return String(value);
    const string = text(value, 300);
    if (string === undefined) isWhole = value === "";
    if (key === "selector" || key === "source" || key === "target")
      return string ? describeSelector(string) : "";
    return key === "url" || key === "method" ? (string ?? "") : JSON.stringify(string ?? "");
  });
  return isWhole ? filled : undefined;
}
