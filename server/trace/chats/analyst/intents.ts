/** What the analyst can tell. */
export const INTENTS = [
  ...["why", "since", "differs", "requests", "request", "page", "flaky", "reproduce", "fix", "steps", "step"],
  ...["console", "code", "search", "environment", "help", "unknown"],
] as const;
export type Intent =
  | "why"
  | "since"
  | "differs"
  | "requests"
  | "request"
  | "page"
  | "flaky"
  | "reproduce"
  | "fix"
  | "steps"
  | "step"
  | "console"
  | "code"
  | "search"
  | "environment"
  | "help"
  | "unknown";

/** A question as the analyst read it. */
export interface Meant {
  intent: Intent;
  /** The number of the step that it names. */
  step: number | null;
  /** The part of an address that it names. */
  path: string | null;
  /** The text to look for. */
  text: string | null;
}

/** How much a word speaks for an intent. Of equals the first wins. */
const SIGNS: readonly (readonly [Intent, number, RegExp])[] = [
  ["help", 9, /^(?:hi|hello|hey|help|good (?:morning|day|evening))\b(?! me (?:fix|reproduce|understand))/],
  [
    "help",
    8,
    /\bwhat (?:can|could) (?:you|i) (?:do|ask|answer)|\bwho are you\b|\bare you (?:an?|the|human|real)\b|\bwhich model\b|\bhow do you work\b/,
  ],
  [
    "fix",
    6,
    /\bshould (?:i|we) (?:change|do|use|edit|fix|try)|\bwhat (?:would|could) you do\b|\b(?:need|have) to do\b/,
  ],
  [
    "fix",
    5,
    /\b(?:fix(?:ed|es|ing)?|mend|repair|solve|resolve|patch|remedy|workaround)\b|\b(?:suggest|propose|recommend)\w*/,
  ],
  [
    "fix",
    5,
    /\bmake (?:this|it|the test) (?:pass|green|work)|\bgreen again\b|\bwho should\b|\binstead\b|\bnext step(?:s)?\b.*\b(?:take|do)\b/,
  ],
  [
    "reproduce",
    6,
    /\brepro(?:duce|duction|s|duc\w*)?\b|\b(?:on|to) my (?:machine|laptop|computer)\b|\blocally\b|\bby hand\b|\bmanually\b/,
  ],
  [
    "reproduce",
    5,
    /\b(?:run|try|execute) (?:this|it|that|the test) again\b|\bcommand\b|\brerun this\b|\breplay\b|\btrigger\b|\bdo i click\b/,
  ],
  [
    "flaky",
    6,
    /\bflak\w*|\bintermittent\w*|\bunstable\b|\bstable\b|\breliab\w*|\bpass rate\b|\bfailure rate\b/,
  ],
  [
    "flaky",
    6,
    /\bhow (?:often|many times)\b|\bretr(?:y|ies|ied)\b|\bevery time\b|\bevery run\b|\balways fail|\brandom(?:ly)?\b|\bhistory\b|\bif i re-?r[ua]n\b|\bsometimes\b/,
  ],
  [
    "differs",
    6,
    /\bcompare[ds]?\b|\bcomparison\b|\bdiff(?:s|er|ers|ered|erent|erence|erences)?\b|\bdiverge\w*|\bnot the same\b|\bchange(?:d|s)?\b|\bwhat(?:'?s| is) new in\b/,
  ],
  [
    "since",
    7,
    /\bsince when\b|\bwhen did\b|\bhow long has\b|\bhow long have\b|\bwhich commit (?:broke|caused|introduced)|\bfirst (?:fail|red|bad|broken)\w*|\bwhen was the last\b/,
  ],
  [
    "since",
    5,
    /\bnew failure\b|\byesterday\b|\bfailed before\b|\bever (?:pass|work|fail)ed?\b|\bregression\b|\bstart(?:ed)? (?:to fail|failing)|\b(?:what|which) was the last (?:green|pass|good|success)|\blast (?:time it )?(?:passed|worked)\b|\blast pass\?|\blast (?:green|good)\b|\bculprit commit\b/,
  ],
  [
    "requests",
    5,
    /\brequests?\b|\bnetwork\b|\bapi\b|\bhttps?\b|\bbackend\b|\bendpoints?\b|\bxhr\b|\bfetch(?:es)?\b|\bcalls?\b|\bresponses?\b/,
  ],
  ["requests", 5, /\b[45](?:\d\d|xx)s?\b|\bserver\b|\bpending\b/],
  [
    "console",
    6,
    /\bconsole\b|\bjava ?script\b|\bjs\b|\bexceptions?\b|\buncaught\b|\bwarnings?\b|\blogs?\b|\blogged\b(?! (?:in|on|out)\b)/,
  ],
  [
    "code",
    6,
    /\b(?:source|test) ?code\b|\bsource\b|\bcode\b|\bwhich line\b|\bline (?:number|of)\b|\b(?:what|which) file\b|\bstack ?trace\b|\bstack\b|\bcome from in the test\b|\bspec file\b/,
  ],
  [
    "page",
    5,
    /\bpage\b|\bscreen(?:shot)?\b|\bdom\b|\bvisible\b|\buser see\b|\bseen\b|\baccessibility\b|\burls?\b|\bdialog\b|\bmodal\b|\bdisplay(?:ed)?\b|\bhtml\b|\bsnapshot\b|\bon the site\b/,
  ],
  [
    "environment",
    6,
    /\bbrowsers?\b|\bversion\b|\benvironment\b|\b(?:what|which) commit is\b|\bregions?\b|\btime ?zone\b|\bviewport\b|\boperating system\b|\bplatform\b|\blocale\b|\bwhich branch\b/,
  ],
  [
    "steps",
    5,
    /\bsteps\b|\bwhich step\b|\bthe (?:test|run) do\b|\bwalk me\b|\bbefore (?:the|it) fail\w*|\bslow(?:est)?\b|\bspen[dt]\b|\bhow long did\b|\btimeline\b|\bduration\b|\btake so long\b|\bactions\b/,
  ],
  [
    "why",
    4,
    /\bwhy\b|\bcause[ds]?\b|\breasons?\b|\broot\b|\bwent wrong\b|\bwrong with\b|\bbroke(?:n)?\b|\bwhat happened\b|\bproblem\b|\bissue\b|\bdiagnos\w*|\btl;? ?dr\b|\bsumm?ar\w*|\bexplain\b/,
  ],
  [
    "why",
    4,
    /\bfault\b|\bthe error\b|\bhow (?:sure|confident)\b|\belse (?:could|might)\b|\bexplanation\b|\banaly[sz]e\b|\bwhat(?:'?s| is) going on\b|\bfailure reason\b/,
  ],
  ["why", 1, /\bfail\w*|\berrors?\b|\bred\b|\btimed? ?out\b/],
  [
    "why",
    3,
    /\b(?:deal|kill(?:s|ed)?|dy?ie?(?:s|d|ing)|blame|guilty|crash\w*|blew up|blow(?:s|n)? up|bugs?|culprit|breaks?|time-?outs?|sum (?:it )?up|going wrong|what'?s up|trigger(?:s|ed))\b/,
  ],
  [
    "since",
    5,
    /\b(?:pinpoint|bisect|introduced?|fresh|brand new|deploy(?:ment|ed)?|last (?:week|month|night|release)|this morning|on main|before my|recently|the first time)\b/,
  ],
  [
    "since",
    3,
    /\b(?:did|was|has|does) (?:this|it|that)\b.*\b(?:pass(?:ed)?|ok|okay|fine|green|work(?:ed|ing)?)\b/,
  ],
  [
    "differs",
    5,
    /\bside by side\b|\b(?:usual(?:ly)?|normal(?:ly)?|unusual|odd)\b|\bdoesn'?t have\b|\b(?:good|passing|green|working|successful) (?:run|one|trace)\b|\b(?:previous|earlier) (?:run|pass|success)\b|\bversus\b|\bvs\b/,
  ],
  [
    "requests",
    5,
    /\b(?:wire|respond(?:s|ed|ing)?|services?|payloads?|traffic|(?:error |http )?status(?: code)?s?|cors|ajax|graphql|websocket|go through|(?:the|a|that) (?:post|get|put|patch))\b/,
  ],
  [
    "page",
    4,
    /\b(?:shown|showed|showing|look(?:s|ed|ing)? like|they look at|elements?|buttons?|fields?|overlay|popup|banner|modal|in the way|logged in|text was|rendered|ui|layout|picture|title of the)\b/,
  ],
  [
    "flaky",
    5,
    /\b(?:ignore|now and then|from time to time|occasional(?:ly)?|consistent(?:ly)?|deterministic|last (?:few |\d+ )?runs|retry|again and again|by chance|race condition|once in a while|recurring)\b/,
  ],
  [
    "reproduce",
    6,
    /\b(?:the same (?:failure|error|bug)|terminal|paste|manual(?: tester)?|myself|recreate|re-create|at home|on my side|curl)\b/,
  ],
  [
    "fix",
    5,
    /\b(?:unblock|next action|(?:need|require)s? (?:an? )?(?:update|change)|locators?|selectors?|work around|get (?:rid|past)|correct(?:ion)?|advice|recommended|to-?do|way out|help me)\b/,
  ],
  [
    "steps",
    5,
    /\b(?:recap|everything (?:the|it|that)|longest|right before|just before|sequence|order|robot|flow|journey|clicked|typed|did it do|walkthrough|how far)\b/,
  ],
  ["console", 5, /\b(?:printed|(?:type|reference|syntax|range)errors?|std(?:out|err)|thr(?:ow|ew|own)s?)\b/],
  [
    "code",
    5,
    /\b(?:spec|assertion|which line|what line|and line|line of|function|point me|test file|repo(?:sitory)?)\b/,
  ],
  [
    "environment",
    5,
    /\b(?:chromium|chrome|firefox|webkit|safari|edge|recorded|machine|linux|windows|mac ?os|ci|branch|pull request|device|mobile|headless|node version)\b/,
  ],
  [
    "help",
    6,
    /\bwhat do you know\b|\bmy options\b|\bable to\b|\bwhat else (?:can|do) you\b|\bhow does this work\b|\bwhat are you\b/,
  ],
];

/** What is asked of a person or of the server, and no question about the recording. */
const ORDERS =
  /^(?:please )?(?:delete|remove|assign|rename|book|write|send|mail|deploy|merge|close|create|upload|buy|translate|pin|share)\b/;

const STEP = /\bsteps?\s*(?:number|no\.?|#)?\s*#?(\d{1,6})\b|\b(\d{1,6})(?:st|nd|rd|th) step\b/;
const PATH =
  /(?:^|[\s"'`(])(?:(?:get|post|put|patch|delete|head)\s+)?((?:https?:\/\/[^\s"'`]+)|\/[\w.~%-][^\s"'`?)]*)/i;
const QUOTED = /["“”`]([^"“”`]{1,200})["“”`]|(?<![\p{L}\p{N}])['‘]([^'’]{1,200})['’](?![\p{L}\p{N}])/u;
const LOOK_FOR =
  /^(?:please )?(?:search(?: for)?|find|grep(?: for)?|look for|look up|locate)\s+(?:the (?:text|word|string) )?(.{1,200}?)[?.!]*$/i;
const A_WORD = /\b(?:word|text|string|phrase|term) (?!was|is|of|on|in|that|which)([\w.-]{2,60})/i;
const SEEKS =
  /\b(?:where|appear(?:s|ed)?|anything about|come[s]? up|mention\w*|contains?|anywhere|occur(?:s|red)?|show up|find|search|grep)\b/;

/** What a question wants to know. @param previous what the one before it was about, for questions that go on with it */
export function readQuestion(question: string, previous: Meant | null = null): Meant {
  const words = question.toLowerCase().replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim();
  const number = STEP.exec(words);
  const found = PATH.exec(question);
  const quoted = QUOTED.exec(question) ?? (SEEKS.test(words) ? A_WORD.exec(question) : null);
  const meant: Meant = {
    intent: "unknown",
    step: number ? Number(number[1] ?? number[2]) : null,
    path: found ? found[1]!.replace(/[.,;:!]+$/, "") : null,
    text: quoted ? (quoted[1] ?? quoted[2] ?? null) : null,
  };
  const wanted = LOOK_FOR.exec(question.trim());
  if (meant.text !== null && (SEEKS.test(words) || wanted)) return { ...meant, intent: "search" };
  if (wanted && !/\b(?:a|the) (?:fix|cause|reason|bug|problem)\b/.test(words))
    return { ...meant, intent: "search", text: meant.text ?? wanted[1]! };
  if (ORDERS.test(words)) return meant;
  if (meant.path !== null && !/\bon my machine\b/.test(words)) return { ...meant, intent: "request" };
  const best = strongest(words);
  // A step that is named is meant, unless the question is about something of it.
  if (meant.step !== null && !OF_A_STEP.has(best ?? "unknown")) return { ...meant, intent: "step" };
  if (best !== null) return { ...meant, intent: best };
  if (meant.text !== null) return { ...meant, intent: "search" };
  return goesOn(words, previous) ? { ...previous!, ...given(meant) } : meant;
}

/** What the tools can tell of one step. */
const OF_A_STEP = new Set<string>(["page", "fix", "reproduce"]);

function strongest(words: string): Intent | null {
  const sums = new Map<Intent, number>();
  for (const [intent, weight, sign] of SIGNS)
    if (sign.test(words)) sums.set(intent, (sums.get(intent) ?? 0) + weight);
  let best: Intent | null = null;
  for (const [intent, sum] of sums) if (best === null || sum > sums.get(best)!) best = intent;
  return best;
}

/** “And in step 4?”, “what about it”, “more” ask the same again. */
const goesOn = (words: string, previous: Meant | null): boolean =>
  previous !== null &&
  /^(?:and|what about|how about|more|go on|tell me more|continue|also|same)\b/.test(words);

const given = ({ step, path, text }: Meant): Partial<Meant> => ({
  ...(step === null ? {} : { step }),
  ...(path === null ? {} : { path }),
  ...(text === null ? {} : { text }),
});
