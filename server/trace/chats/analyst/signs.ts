/** What the analyst can tell. */
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

/** How much a word speaks for an intent. Of equals the first wins. */
export const SIGNS: readonly (readonly [Intent, number, RegExp])[] = [
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
    /\bfla(?:k|ck)\w*|\bintermittent\w*|\bunstable\b|\bstable\b|\breliab\w*|\bpass rate\b|\bfailure rate\b/,
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
    /\b(?:deal|kill(?:s|ed)?|d(?:ie|ies|ied|ying)|blame|guilty|crash\w*|blew up|blow(?:s|n)? up|bugs?|culprit|breaks?|time-?outs?|sum (?:it )?up|going wrong|what'?s up|trigger(?:s|ed))\b/,
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
    /\b(?:recap|everything (?:the|it|that)|longest|right before|just before|sequence|(?:what|which) order|robot|flow|journey|clicked|typed|did it do|walkthrough|how far)\b/,
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
  ["why", 7, /\b(?:was|is) it (?:my|our|your) \w+/],
  ["steps", 6, /\bhow did (?:we|it|this) get\b|\btrying to do\b|\b(?:at which|what) point\b|\blast thing\b/],
  ["step", 7, /\b(?:failed|failing) step\b|\bwait(?:ed|ing)? for\b/],
  [
    "since",
    7,
    /\bwho broke\b|\b(?:previous|last) (?:run|one) (?:ok|okay|fine|green|good)\b|\blast (?:ok|okay|fine)\b/,
  ],
  ["differs", 6, /\b(?:than|from|as) (?:last time|before|usual|yesterday)\b/],
  ["requests", 5, /\bredirect\w*|\btime ?out\b.*\brequest|\brequest\b.*\btime ?out\b/],
  ["page", 5, /\bheadings?\b|\bmessage for\b|\b(?:buttons?|links?|fields?) (?:could|can|are|were)\b/],
  ["flaky", 7, /\bone-?off\b|\bhow many runs\b|\b(?:odds|chances) \b|\bjust (?:run|start) it again\b/],
  ["reproduce", 6, /\bon localhost\b|\bonly this test\b|\bhave to type\b/],
  [
    "fix",
    6,
    /\bwhere (?:do|should|can) (?:i|we) (?:start|begin)\b|\b(?:longer|higher|bigger) time ?out\b|\bhints?\b|\bhow to go on\b/,
  ],
  ["environment", 6, /\b(?:phone|tablet|laptop)\b|\bwhich (?:build|os|release)\b/],
];
