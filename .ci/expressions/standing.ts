/** Expressions that may stand although there are texts that make them slow, and why. */
export const STANDING: {
  why: string;
  expressions: readonly (readonly [path: string, expression: RegExp])[];
}[] = [
  {
    why: "They read what we write ourselves: templates, licences, the program's own sentences with cut quotations.",
    expressions: [
      ["server/docs/markdown.ts", /\s*\{#([\w.-]+)\}$/],
      ["server/http/first-screen.ts", /<link rel="stylesheet"[^>]*\shref="([^"]+)"[^>]*>/],
      ["server/http/first-screen.ts", /<link rel="modulepreload"[^>]*\shref="([^"]+)"[^>]*>/g],
      ["server/http/first-screen.ts", /<script type="module"[^>]*\ssrc="([^"]+)"[^>]*><\/script>/],
      ["server/http/used-style.ts", /\[[^\]]*\]|:[\w-]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g],
      ["server/notices/model.ts", /\s+OR\s+/],
      ["server/notices/model.ts", /\s+AND\s+/],
      [
        "server/run/page-scripts/build.ts",
        /var import_postcss(?:\$1)? = [\s\S]*?\n(?:(?:var postcss_default = )?import_postcss(?:\$1)?\.default[.\w]*;\n)+/g,
      ],
      ["server/trace/format/cause/plausibility/rules.ts", / at \S+(?: \(.*\))?$/],
      [
        "server/trace/format/cause/plausibility/words.ts",
        /^GET .*\.(?:svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|map|webmanifest|mp[34]|webm)(?:\?\S*)? (?:was answered|was still|failed)/i,
      ],
      ["server/trace/format/cause/relevance.ts", /: (.{6,})$/],
      [
        "server/trace/format/story.ts",
        / (?:[\d.]+ (?:ms|s|min) before, |At the same moment )(?:\w+ (\S+) was answered with (\d{3})|the console logged the error “([^”]+?)…?”).*?(?= (?:One request was|\d+ requests were|No recorded request|The page was|[\d.]+ (?:ms|s|min) before, |At the same moment )|$)/gs,
      ],
      ["server/trace/playwright-viewer/service.ts", /<script>([\s\S]*?)<\/script>/g],
    ],
  },
  {
    why: "They read what whoever runs the program gives: a scenario, a configuration, a question of 8,000 letters, a search.",
    expressions: [
      ["server/gate/diagnosis/meant.ts", /(?<=[^.!?\s]\s+)\p{Lu}[\p{L}'’-]+/gu],
      [
        "server/gate/guardrails/words.ts",
        /\$\{[^}]*\}|[\p{L}\p{N}][\p{L}\p{N}'’.,-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu,
      ],
      ["server/gate/guardrails/words.ts", /\$\{[^}]*\}/g],
      ["server/run/playwright-setup/source.ts", /\/\*[\s\S]*?\*\/|\/\/.*$/gm],
      [
        "server/trace/chats/analyst/intents.ts",
        /\bsteps?\s*(?:number|no\.?|#)?\s*#?(\d{1,6})\b|\b(\d{1,6})(?:st|nd|rd|th) step\b/,
      ],
      [
        "server/trace/chats/analyst/signs.ts",
        /\bmake (?:this|it|the test) (?:pass|green|work)|\bgreen again\b|\bwho should\b|\binstead\b|\bnext step(?:s)?\b.*\b(?:take|do)\b/,
      ],
      [
        "server/trace/chats/analyst/signs.ts",
        /\b(?:did|was|has|does) (?:this|it|that)\b.*\b(?:pass(?:ed)?|ok|okay|fine|green|work(?:ed|ing)?)\b/,
      ],
      [
        "server/trace/chats/analyst/signs.ts",
        /\bredirect\w*|\btime ?out\b.*\brequest|\brequest\b.*\btime ?out\b/,
      ],
      ["server/trace/format/search-values.ts", /^(.+)\.\.(.+)$/],
    ],
  },
  {
    why: "They read a short text: a number, a name, a line, an address of 4,000 letters at most. Up to 35 ms for 4,000 letters.",
    expressions: [
      ["server/gate/diagnosis/rules/source.ts", /(["'`])((?:(?!\1)[^\\]|\\.)*)(\1|$)/g],
      ["server/trace/format/aria-lines.ts", /\[[^\]]*\]/g],
      ["server/trace/format/aria-lines.ts", /\\\w|\[[^\]]*\]|\{[^}]*\}|(?<!\\)[.*+?^$()|]+/g],
      [
        "server/trace/format/cause/alone/answers/written-by.ts",
        /(?<!\d[.,:/-]?)(?:\d{1,3}(?:[.,'’\s]\d{3})+[.,]\d{1,3}|\d+[.,]\d{1,2})(?![.,:/-]?\d)/g,
      ],
      [
        "server/trace/format/cause/detectors/page/console.ts",
        /^(?:at )?(?:(.*?)[ @]\(?)?((?:https?|file|webpack(?:-internal)?|app):\/{2,3}[^\s()]+?):(\d+)(?::(\d+))?\)?$/,
      ],
      [
        "server/trace/format/cause/detectors/page/quiet-lines.ts",
        /\{.*\}|\[[^,]*,.*\]|"[^"]*"|'[^']*'|“[^”]*”/gs,
      ],
      ["server/trace/format/cause/detectors/page/quiet-lines.ts", /\S*(?:\d|:\/\/|<\w+>)\S*/g],
      [
        "server/trace/format/cause/run/error-frames.ts",
        /\(?((?:\/|[A-Za-z]:\\|file:)[^()]*?):(\d+):\d+\)?\s*$/,
      ],
      ["server/trace/format/cause/test-code/statements.ts", /(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g],
      ["server/trace/format/cause/test-code/statements.ts", /\$\{[^}]*\}|\*+/g],
      [
        "server/trace/format/playwright/locator.ts",
        /\[([a-z-]+)=("(?:[^"\\]|\\.)*"[si]?|\/(?:[^/\\]|\\.)*\/[a-z]*|[^\]]*)\]/g,
      ],
      [
        "server/trace/format/signature.ts",
        /(?<![\w/.])(?:[A-Za-z]:)?(?:[\\/][\w.@~+-]+)+[\\/]([\w.@~+-]+\.[A-Za-z]\w*)/g,
      ],
      ["server/trace/format/words.ts", /\B(?=(\d{3})+$)/g],
      ["viewer/pages/list/uploads.ts", /(\.(tar|zip|zst|tzst|bundle|ndjson))+$/],
    ],
  },
  {
    why: "They read a message, a title or a line of a log or of the console, all cut at 16,384 letters. Up to 0.2 s for so many.",
    expressions: [
      [
        "server/trace/format/cause/detectors/answers/shown.ts",
        /(?:getByLabel\(|getByPlaceholder\(|getByRole\(['"](?:textbox|searchbox|combobox|slider|spinbutton)['"])[^.]*$/,
      ],
      [
        "server/trace/format/cause/detectors/elements/element.ts",
        /^[^<\n]*(?:<.*? from )?(<[^<>]{1,500}?(?:\bclass="(?:[^"<>]{0,300}[\s-])?disabled(?=[\s"-])|\baria-disabled="true"|\binert\b)[^<>]*>.*?) intercepts pointer events/m,
      ],
      [
        "server/trace/format/cause/detectors/elements/element.ts",
        /strict mode violation: (.+?) resolved to (\d+) elements/,
      ],
      ["server/trace/format/cause/detectors/elements/element.ts", /waiting for .+ to be visible$/],
      ["server/trace/format/cause/page/target.ts", /strict mode violation: (.+?) resolved to/],
      ["server/trace/format/cause/page/target.ts", /(?:locator|getBy\w+)\(.*\)/],
      [
        "server/trace/format/cause/values/told-otherwise.ts",
        /\d{1,3}(?:[.,' \u00a0\u202f]\d{3})*[.,]\d{1,2}\b|[$€£¥]\s?\d|\d\s?[$€£¥]/,
      ],
      [
        "server/trace/format/cause/detectors/page/page.ts",
        /^\W*(?:Error: |TypeError: )?(?:Failed to fetch|Load failed|NetworkError\b.*|Network (?:Error|request failed)|Request failed with status code \d+|fetch failed)\W*$/i,
      ],
      [
        "server/trace/format/cause/detectors/page/policy.ts",
        /blocked by CORS policy: (?:Response to preflight request doesn't pass access control check: )?(.+?)(?:\. |\.?$)/,
      ],
      [
        "server/trace/format/cause/detectors/page/policy.ts",
        /Content Security Policy|violates the following.*directive|content-security-policy/i,
      ],
      ["server/trace/format/cause/detectors/page/policy.ts", /directive:? ["'“]([^"”]+)["”]/],
      [
        "server/trace/format/cause/detectors/page/policy.ts",
        /MIME type .* is not (?:executable|a supported stylesheet)|Refused to (?:execute script|apply style)|Expected a JavaScript(?:-or-Wasm)? module script/i,
      ],
      [
        "server/trace/format/cause/detectors/page/policy.ts",
        /response has (a (?:MIME type|charset) .+?)\. Aborting/,
      ],
      ["server/trace/format/cause/detectors/page/policy.ts", /because (.+?)\.?$/],
      ["server/trace/format/cause/detectors/test-code/another-test.ts", /[\w-]*\d[\w-]*/g],
      ["server/trace/format/cause/detectors/test-code/another-test.ts", /(["“]).*?["”]/],
      ["server/trace/format/cause/detectors/test-code/other-input.ts", /(?:locator|getBy\w+)\(.*\)$/],
      [
        "server/trace/format/cause/detectors/test-code/page-scripts.ts",
        /Unexpected token '?<'?.*JSON|JSON\.parse: unexpected character|Unexpected token < in JSON/,
      ],
      ["server/trace/format/cause/run/held.ts", /\btimeout\b.*\bexceeded\b/i],
      [
        "server/trace/format/cause/page/wanted.ts",
        /getBy(?:Label|Placeholder)\((?:['"]([^'"]+)['"]|\/([^/]+)\/)|internal:(?:label|attr=\[placeholder)="?([^"\]]+)"/,
      ],
      [
        "server/trace/format/cause/page/wanted.ts",
        /getByTestId\(['"]([^'"]+)['"]|data-test[\w-]*=["']?([^\]"']+)/,
      ],
      [
        "server/trace/format/cause/page/wanted.ts",
        /^(?:page\.)?locator\((['"])(.+?)\1\)(?:\.(?:first|last|nth|filter)\(.*)?$/,
      ],
      ["viewer/trace/model/failure-text.ts", /^- Expected\b[^\n]*\n\+ Received\b/m],
    ],
  },
  {
    why: "They read what may be large; measured for 64 kB: titles of pages 40 ms, tokens 0.5 s, lists of sources below 1 s.",
    expressions: [
      ["server/trace/chats/mask.ts", /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g],
      ["server/trace/format/cause/exchanges/said-by-page.ts", /<title[^<>]*>([\s\S]{1,2000}?)<\/title>/i],
      ["server/trace/format/cause/exchanges/said-by-page.ts", /<pre[^<>]*>([\s\S]{1,2000}?)<\/pre>/i],
      [
        "server/trace/format/playwright/snapshot-attributes.ts",
        /(?<![^\s,])([^\s,]\S*[^\s,]|[^\s,])(\s+[\d.]+[wxh])?\s*(?:,|$)/g,
      ],
    ],
  },
];
