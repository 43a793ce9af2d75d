import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
import { first, missed } from "./scene.ts";

const row = (button: string) => `<tr><td>Hammer</td><td>${button}</td></tr>`;
const table = (button: string) => `<table>${row(button)}${row(button)}</table>`;
const cause = (target: string, html: string) => first(run(missed(target), page(html)));
const sign = "without a word in the name";

test("a button that is called by a sign alone is told where the wanted one would be called what the sign means", () => {
  const remove = "getByRole('button', { name: 'Remove line' }).nth(1)";
  expect(cause(remove, `${table("<button>✕</button>")}<button>Add line</button>`)).toBe(
    `element_renamed: ${remove} was not found; the page has 2 buttons called “✕”, ${sign}: the label that says “Remove line” (an aria-label, a title) is gone from them`,
  );
  const next = "getByRole('link', { name: 'Next page' })";
  expect(cause(next, '<a href="?page=2">›</a>')).toContain(`the page has a link called “›”, ${sign}`);
});

test("no sign is told that means something else, has its name, is of what lies over the page, or that are too few", () => {
  const remove = "getByRole('button', { name: 'Remove line' })";
  for (const [target, html] of [
    [remove, table("<button>+</button>")],
    [remove, table('<button aria-label="Take out">✕</button>')],
    [remove, '<div role="alert">Saved <button>✕</button></div>'],
    [`${remove}.nth(2)`, table("<button>✕</button>")],
    ["getByRole('button', { name: 'Save order' })", table("<button>✕</button>")],
    [remove, `${table("<button>✕</button>")}<button>Remove lines</button>`],
  ] as const)
    expect(cause(target, html)).not.toContain(sign);
});
