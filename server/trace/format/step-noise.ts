/** What a runner or an agent's browser does for itself: hooks, fixtures, what only reads the page. */
const NOISE = new RegExp(
  `^(?:${[
    "(?:Before Hooks|After Hooks|Worker Cleanup|(?:before|after)(?:Each|All) hook)\\b",
    'Fixture "',
    'Attach "error-context"',
    "(?:Set overlay visibility|Launch browser|(?:Create|Open a|Close) (?:context|page|browser))$",
    "Get (?:text content|inner text|inner HTML|attribute|input value|URL|title|count)\\b",
    "Is (?:visible|hidden|enabled|disabled|checked|editable)\\b",
    "(?:Start|Stop) tracing\\b",
    "Set (?:extra HTTP headers|default)\\b",
    // As `playwright/title.ts` calls what has no title of its own.
    "Read the (?:page's (?:title|errors|HTML)|console|requests|accessibility tree(?: of .+)?)$",
    'Read (?:the (?:text|HTML|value)|attribute ".*") of .',
    "Whether .+ is (?:checked|enabled|visible)$",
    "Count (?:locator|getBy)",
    // Between any two calls of an agent, Playwright's MCP server.
    "Evaluate (?:function collectToolsInPage\\b|\\(ms\\) => new Promise\\(\\(f\\) => setTimeout\\(f, ms\\)\\)$)",
  ].join("|")})`,
  "i",
);

/** Whether a step's title says that it tells little about what was tested. */
export const isNoise = (title: string): boolean => NOISE.test(title);
